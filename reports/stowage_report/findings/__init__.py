"""One module for each question that goes beyond a single workload: its charts, its tables and its answer in words."""
