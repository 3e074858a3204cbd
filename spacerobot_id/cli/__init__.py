"""The command line ``spacerobot-id``: one thin module per command."""
