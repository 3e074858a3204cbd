"""A self-contained HTML page of sections: what it is made of, and how it is written."""
