"""THE list of claims, in order."""

from __future__ import annotations

from stowage_report.claims import bitsquid, cerulean, elsewhere, wicked
from stowage_report.claims.ruling import Claim

LEDGER: tuple[Claim, ...] = tuple(sorted((*bitsquid.CLAIMS, *cerulean.CLAIMS, *elsewhere.CLAIMS, *wicked.CLAIMS), key=lambda claim: int(claim.id[1:])))
