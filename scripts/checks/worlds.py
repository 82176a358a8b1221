"""The table of docs/worlds.md: what a world consists of, which storage wins in it, and how sure that is."""

import tomllib
from pathlib import Path
from typing import Any, Mapping

from stowage_report.console import UserError
from stowage_report.data import wording
from tables import BREAK, table

Answer = Mapping[str, Any]

#: The second answer to a world is kept under its name with this.
AGAIN = "-again"
#: The two transforms of an entity in a tree.
TRANSFORM_BYTES = 128
#: Of the repetitions: more say that other programs ran.
MOST_WAITING = 0.1
HEAD = ["world", "entities", "sets", "components", "bytes each", "lookups, changes, creations a frame", "take",
        "nearest", "fewest bytes each", "half and twice"]


def beside_each_other(answers: Mapping[str, Answer], profiles: Path) -> list[str]:
    """A row per world that was answered twice, those with fewest entities first."""
    names = [name for name in answers if not name.endswith(AGAIN)]
    if alone := [name for name in names if name + AGAIN not in answers]:
        raise UserError(f"{', '.join(alone)}: there is no second answer")
    if busy := [name for name, answer in answers.items() if (answer.get("waiting_share") or 0) > MOST_WAITING]:
        raise UserError(f"{', '.join(busy)}: the machine was busy; ask again")
    read = {name: tomllib.loads((profiles / f"{name}.toml").read_text(encoding="utf-8")) for name in names}
    names.sort(key=lambda name: entities_of(read[name]))
    return table(HEAD, (row(name, read[name], answers[name], answers[name + AGAIN]) for name in names), "---")


def row(name: str, profile: dict[str, Any], first: Answer, second: Answer) -> list[str]:
    return [f"[{name.replace('_', ' ')}](../profiles/{name}.toml)", *facts(profile), *verdict(first, second)]


# ---- what it consists of


def count_of(value: int | str) -> int:
    """Of a profile: "40k" is 40 times 1,024."""
    text = str(value)
    unit = {"k": 1024, "m": 1024 * 1024}.get(text[-1:].lower(), 1)
    return int(text.rstrip("kKmM")) * unit


def entities_of(profile: dict[str, Any]) -> int:
    return count_of(profile["profile"]["entities"])


def facts(profile: dict[str, Any]) -> list[str]:
    entities, kinds = entities_of(profile), profile.get("entity_kind", [])
    owners = {each["name"]: entities * each.get("share", 1) for each in profile["component"]}
    in_trees = nodes_among(kinds)
    nodes = profile.get("hierarchy", {}).get("share", 1) * entities if "hierarchy" in profile else 0
    if kinds:
        owners = dict.fromkeys(owners, 0.0)
        for kind in kinds:
            for component in kind["components"]:
                owners[component] += number_of(kind, entities)
        nodes = sum(number_of(kind, entities) for kind in kinds if kind["name"] in in_trees)
    own = sum(each.get("bytes", 0) * owners[each["name"]] for each in profile["component"])
    sets = {(frozenset(kind["components"]), kind["name"] in in_trees) for kind in kinds}
    lookups = sum(each["per_frame"] for each in profile.get("lookup", []))
    changes = (sum(each["per_frame"] for each in profile.get("change", []))
               + sum(each.get("toggled_per_frame", 0) for each in profile["component"]))
    created = (sum(each.get("created_per_frame", 0) * with_children(each, kinds) for each in kinds)
               + profile.get("turnover", {}).get("creations_per_frame", 0))
    return [f"{entities:,}", str(len(sets)) if sets else "by shares", str(len(owners)),
            f"{(own + TRANSFORM_BYTES * nodes) / entities:.0f}", f"{lookups:,.0f}, {changes:,.4g}, {created:,.4g}"]


def nodes_among(kinds: list[dict[str, Any]]) -> set[str]:
    """The kinds that are in trees."""
    children = {below["kind"] for kind in kinds for below in kind.get("children", [])}
    return children | {kind["name"] for kind in kinds if kind.get("children")}


def with_children(kind: dict[str, Any], kinds: list[dict[str, Any]]) -> float:
    """An entity and all that hangs on it."""
    named = {each["name"]: each for each in kinds}
    return 1 + sum(below.get("count", 1) * with_children(named[below["kind"]], kinds) for below in kind.get("children", []))


def number_of(kind: dict[str, Any], entities: int) -> float:
    return count_of(kind["count"]) if "count" in kind else kind["share"] * entities


# ---- what wins in it


def verdict(first: Answer, second: Answer) -> list[str]:
    fewest = min((each for each in first["ranking"] if each["bytes_per_entity"]), key=lambda each: each["bytes_per_entity"])
    return [taken(first, second), next_design(first), f"`{fewest['strategy']}`, {fewest['bytes_per_entity']:.0f}", others(first)]


def may_win(answer: Answer) -> list[str]:
    return [answer["winner"], *answer["tied"]]


def taken(first: Answer, second: Answer) -> str:
    """What both answers allow; the first names one if it is sure."""
    both = [name for name in may_win(first) if name in may_win(second)]
    if not both:
        return f"`{first['winner']}` or `{second['winner']}`: the two answers differ"
    frame = wording.time(next(each["frame_ns"] for each in first["ranking"] if each["strategy"] == both[0]))
    if len(may_win(first)) == len(may_win(second)) == 1:
        return f"**`{both[0]}`**, certainly; {frame} a frame"
    if len(both) == 1:
        return f"`{both[0]}`, which alone both answers allow; {frame} a frame"
    return f"any of {', '.join(f'`{name}`' for name in both)}; {frame} a frame"


def next_design(answer: Answer) -> str:
    """The fastest of another family than all that may win."""
    families = {name.partition(".")[0] for name in may_win(answer)}
    others = (each for each in answer["ranking"] if each["strategy"].partition(".")[0] not in families)
    found = min(others, key=lambda each: each["ratio_to_winner"], default=None)
    if found is None:
        return "-"
    low, high = found["ratio_interval"] or (found["ratio_to_winner"],) * 2
    over = f", over its budget ({', '.join(found['broken_budgets'])})" if found.get("broken_budgets") else ""
    return f"`{found['strategy']}`, {found['ratio_to_winner']:.2f}× ({low:.2f} to {high:.2f}){over}"


def others(answer: Answer) -> str:
    """What half or twice as much of something would change."""
    if not answer["sensitivity"]:
        return "not measured"
    changed = [f"{each['what']}: `{each['winner']}`" for each in answer["sensitivity"] if each["changes_the_winner"]]
    return BREAK.join(changed) or "no certain change"
