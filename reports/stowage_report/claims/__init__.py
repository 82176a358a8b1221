"""The ledger: what articles claim of storages, each claim with its test, and the verdict of stored results on it.

`evaluate.py` lists the claims and evaluates them on runs. Each source of claims has a module (`bitsquid.py`, ...). An
entry is a few sentences and the parts of its test. A part asks `Evidence` for figures and gives a `Ruling`. Needs only
the standard library.
"""

from stowage_report.claims.evaluate import LEDGER, Evaluation, evaluate
from stowage_report.claims.ruling import Verdict

__all__ = ["LEDGER", "Evaluation", "Verdict", "evaluate"]
