"""What became of a run: two results files beside each other, or two files of any program with Google Benchmark.

`read` has the files, `change` the statistics of figures that were not measured in the same rounds, `comparison` what
follows for cells and strategies, `formats` how it is told. Needs only the standard library.
"""
