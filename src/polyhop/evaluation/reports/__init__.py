"""What a comparison of strategies looks like: tables, plots, a page."""
