"""`python3 start.py MODULE ARGS...`: does what `python3 -m MODULE ARGS...` does, but looks for no module in the working
directory: that has the user's data, and an `argparse.py` in it would be executed. From Python 3.11 on `-P` does so, too."""

import runpy
import sys

from stowage_report.console import exit_code_of

del sys.argv[0]
# matplotlib looks for a directory that it may write when it is imported
sys.exit(exit_code_of(lambda: runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True) and None))
