"""Turns the results of `stowage run` into plots, a CSV file and one self-contained HTML page."""

import logging

logging.getLogger("matplotlib").setLevel(logging.ERROR)  # what it says of its cache is no message of ours
