"""Runs of many machines beside each other: packed by `stowage submit`, shown by `stowage gallery`."""
