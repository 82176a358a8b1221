"""`known_answers.py NAME RECOMMENDATION_JSON`: compares the answer of a game with what is known of it by construction."""

import json
import sys
from pathlib import Path


def family(strategy):
    return strategy.split(".")[0]


def leaders(answer):
    return {family(name) for name in [answer["winner"], *answer["tied"]]}


def lowest_ratio(answer, strategy):
    return next(entry["ratio_interval"][0] for entry in answer["ranking"] if entry["strategy"] == strategy)


def universal(answer):
    yield "a strategy without lookups wins", leaders(answer) <= {"sparse_direct", "archetype_sections"}
    for name in ("naive_objects", "object_indices", "offset_table", "indirection_map", "hash_index"):
        yield f"{name} takes half as long again", lowest_ratio(answer, name) > 1.5


def rare(answer):
    yield "a hash table of the owners wins", family(answer["winner"]) == "hash_index"
    keep = {family(entry["strategy"]) for entry in answer["ranking"] if not entry["broken_budgets"]}
    yield "nothing else keeps the budget", keep == {"hash_index"}


def changing(answer):
    yield "one strategy wins", not answer["tied"]
    yield "it keeps no whole sets together", leaders(answer).isdisjoint({"archetype_sections", "naive_objects"})
    for name in ("archetype_sections", "archetype_sections.fixed_32k"):
        yield f"{name} takes twice as long", lowest_ratio(answer, name) > 2


def placed(answer):
    found = answer["placements"]
    yield "what changes goes apart", found["confirmed"] and found["design"] == "hybrid+burning=sparse"
    yield "that saves a third", found["ratio_interval"][1] < 0.7
    for component in found["components"]:
        yield f"{component['name']} is worse elsewhere", component["elsewhere"]["interval"][0] > 1


def main(name, answer):
    facts = {"universal": universal, "rare": rare, "changing": changing, "placed": placed}[name]
    wrong = [what for what, holds in facts(json.loads(answer.read_text(encoding="utf-8"))) if not holds]
    for what in wrong:
        print(f"{name}: not so: {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
