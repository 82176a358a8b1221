"""`stowage doctor --calibrate`: how often the verdicts of reports and comparisons are right on this machine, found from
runs in which the truth is known."""
