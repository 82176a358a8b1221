"""The ledger: what articles claim of storages, each claim with its test, and the verdict of stored results on it.

`claims.toml` says what each claim is, how it is tested and why so; `evaluate.py` evaluates the claims on runs. The parts
of the tests are in a module for each source (`bitsquid.py`, ...): a part asks `Evidence` for figures and gives a
`Ruling`. Needs only the standard library.
"""

from stowage_report.claims.evaluate import LEDGER, Evaluation, evaluate
from stowage_report.claims.ruling import Verdict

__all__ = ["LEDGER", "Evaluation", "Verdict", "evaluate"]
