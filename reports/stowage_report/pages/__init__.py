"""What a reader sees: the HTML page with its downloads, and the summary for a terminal."""
