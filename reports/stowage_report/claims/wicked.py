"""Claims of Wicked Engine's article on its entity-component system (WE), and of its comments."""

from __future__ import annotations

from stowage_report import wording
from stowage_report.claims.evidence import FLOOR, INSTRUCTIONS, MISSES, Evidence, where
from stowage_report.claims.ruling import Claim, Ruling
from stowage_report.claims.shapes import holds_if

MAP = "indirection_map"
PAIRED = f"{MAP}.paired"
#: A figure that is at its floor, counted exactly.
AT_FLOOR = 1.05


def _joined_without_look_up(evidence: Evidence) -> Ruling:
    place = evidence.at_largest(MISSES, [PAIRED, "reference"], where("join", order="grouped", via="each"))
    misses, floor = (evidence.count(metric, PAIRED, place) for metric in (MISSES, FLOOR))
    apart = where("join", place.entities, order="unrelated", via="each")
    apart_misses = evidence.count(MISSES, PAIRED, apart)
    instructions, apart_instructions = (evidence.count(INSTRUCTIONS, PAIRED, each) for each in (place, apart))
    return holds_if(misses <= AT_FLOOR * floor < apart_misses and instructions < apart_instructions,
                    f"misses an entity {wording.figure(misses)} paired (floor {wording.figure(floor)}), "
                    f"{wording.figure(apart_misses)} in unrelated orders; instructions "
                    f"{wording.figure(instructions)} and {wording.figure(apart_instructions)}", misses / floor)


CLAIMS = (
    Claim("C24", "WE", "equal order in paired pools removes the cost of look-ups from joins",
          "`join` via:each of paired pools, whose complete groups lie in the same order: no more than 5 % above the floor's "
          "lines, and fewer instructions than in unrelated orders, where each second component is looked up.",
          "misses above the floor, or as many instructions",
          (_joined_without_look_up,)),
)
