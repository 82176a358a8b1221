"""The ledger: what articles claim of storages, each claim with its test, and the verdict of stored results on it.

`ledger.py` lists the claims, `evaluate()` puts them to runs. An entry is a few sentences and the parts of its test; a
part asks `Evidence` for figures and gives a `Ruling`. Needs nothing but Python itself.
"""

from stowage_report.claims.evaluate import Evaluation, evaluate
from stowage_report.claims.ledger import LEDGER
from stowage_report.claims.ruling import Verdict

__all__ = ["LEDGER", "Evaluation", "Verdict", "evaluate"]
