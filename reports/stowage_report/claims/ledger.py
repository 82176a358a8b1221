"""THE list of claims, in order."""

from __future__ import annotations

from stowage_report.claims import bitsquid, cerulean, elsewhere, wicked
from stowage_report.claims.ruling import Claim

_BY_SOURCE = (*bitsquid.CLAIMS, *cerulean.CLAIMS, *elsewhere.CLAIMS, *wicked.CLAIMS)

LEDGER: tuple[Claim, ...] = tuple(sorted(_BY_SOURCE, key=lambda claim: int(claim.id.removeprefix("C"))))
