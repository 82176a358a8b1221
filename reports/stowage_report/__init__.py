"""Turns the results of `stowage run` into plots, a CSV file and one self-contained HTML page."""
