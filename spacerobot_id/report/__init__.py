"""Reports: tables, pages and pictures of plans and estimates."""
