"""The work of scripts/gate."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from stowage_report.commands import line
from stowage_report.compare.__main__ import parse_limit
from stowage_report.console import MissingError, Parser, ReportError, UserError, command

ROOT = Path(__file__).resolve().parents[2]
#: Base and head are measured in turns, a part of the blocks at a time, so that what the machine does meets both.
TURNS = 4
BASE_TREE = "base-tree"
#: Of docs/trust.md, quick, one process each.
TRUST = ("Times decide nothing. Of 100 pairs of equal `quick` runs none called a strategy changed, and 11 called some cell "
         "changed. A strategy that is 3 % slower was named in 83 of 100, one that is 5 % slower in 99 (docs/trust.md, "
         "counted on quiet machines).")
#: What these rates are of: without workloads `run` times the typical world, in which they do not hold.
RATED = ["--workloads", "point_mass,lookup,churn,structural,join"]


def git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, text=True, capture_output=True).stdout.strip()


def base_commit(name: str) -> str:
    """What HEAD and the base have in common: what came to the base since is no change of HEAD's."""
    try:
        return git("merge-base", f"{name}^{{commit}}", "HEAD")
    except subprocess.CalledProcessError as error:
        raise UserError(f"'{name}' names no commit here with which HEAD has a past in common; fetch it (in a workflow: "
                        "actions/checkout with fetch-depth: 0)") from error


def build(tree: Path, what: str) -> None:
    if subprocess.run([tree / "scripts/build", "release", "stowage"], check=False).returncode != 0:
        raise MissingError(f"{what} cannot be built; see above")


def recipes_of(tree: Path) -> dict[str, dict]:
    toolchain = json.loads((tree / "build/release/toolchain.json").read_text())
    return {recipe["name"]: recipe for recipe in toolchain["strategies"]}


def headers_of(recipe: dict, compiler: str) -> set[str]:
    """The files of this repository that a strategy is compiled from, as the compiler finds them."""
    command = [compiler, "-std=c++20", "-MM", "-I", "strategies", "-x", "c++", *recipe["flags"].split("\n"), "-"]
    text = subprocess.run([word for word in command if word != ""], check=True, text=True, capture_output=True, cwd=ROOT,
                          input=f"#include <{recipe['header']}>\n").stdout
    paths = (ROOT / word for word in text.replace("\\\n", " ").split()[1:])
    return {str(path.resolve().relative_to(ROOT)) for path in paths if path.resolve().is_relative_to(ROOT)}


def touched_strategies(changed: set[str]) -> list[str]:
    compiler = json.loads((ROOT / "build/release/toolchain.json").read_text())["compiler"]
    return [name for name, recipe in recipes_of(ROOT).items() if headers_of(recipe, compiler) & changed]


def stowage(tree: Path, *arguments: str | Path) -> subprocess.CompletedProcess:
    """Its answer; progress goes to the terminal."""
    result = subprocess.run([tree / "build/release/stowage", *arguments], check=False, text=True, stdout=subprocess.PIPE)
    if result.returncode > 1:
        error = ReportError(f"`{line('stowage', *arguments)}` in {tree} failed; see above")
        error.exit_code = result.returncode
        raise error
    return result


def compare_counts(trees: dict[str, Path], out: Path, selection: list[str], limit: str) -> tuple[bool, str]:
    files = []
    for side, tree in trees.items():
        files.append(out / f"counts-{side}.json")
        counted = stowage(tree, "cache", "--source", "simulated", "--entities", "16k", "--format", "json", *selection)
        files[-1].write_text(counted.stdout)
    compared = stowage(ROOT, "compare", *files, "--fail-above", limit, "--format", "markdown")
    return compared.returncode == 0, compared.stdout


def compare_times(trees: dict[str, Path], out: Path, selection: list[str]) -> str:
    counted = json.loads((out / "counts-head.json").read_text()).get("benchmarks", [])
    blocks = {re.sub("/[^/]*", "", entry["name"], count=1) for entry in counted}
    turns = max(1, min(TURNS, len(blocks)))  # no shard may be empty
    for turn in range(turns):
        for side, tree in list(trees.items())[::1 if turn % 2 == 0 else -1]:
            stowage(tree, "run", *selection, "--shard", f"{turn + 1}/{turns}", "--out", out / f"{side}-{turn + 1}")
    for side in trees:
        stowage(ROOT, "merge", *(out / f"{side}-{turn + 1}" for turn in range(turns)), "--out", out / side)
    return stowage(ROOT, "compare", *(out / side for side in trees), "--format", "markdown").stdout


def page(touched: list[str], new: list[str], base: str, limit: str, results: tuple[bool, str, str] | None) -> str:
    begin = git("rev-parse", "--short", base)
    lines = []
    if results is None:
        lines += ["## stowage: no strategy is compiled from what this change touches", ""]
    else:
        passed, counts, times = results
        lines += [f"## stowage: {'no count has' if passed else 'a count has'} grown by more than {limit}", "",
                  f"Compared with {begin}: {', '.join(touched)}.", "",
                  "### Counts, which decide", "", counts.strip(), "", "### Times, for information", "", TRUST, "",
                  times.strip(), ""]
    if new:
        lines += [f"New, so that there is nothing to compare with: {', '.join(new)}.", ""]
    return "\n".join(lines)


def gate(options) -> int:
    parse_limit(options.fail_above)  # before anything is built
    base = base_commit(options.base)
    out = Path(options.out).resolve()
    if any(out.glob("*/results.json")):
        raise UserError(f"{out} holds the results of another time; remove them, or name another directory with --out")
    out.mkdir(parents=True, exist_ok=True)
    build(ROOT, "this change")
    touched = touched_strategies(set(git("diff", "--name-only", base, "--").splitlines()))
    new, results = [], None
    if touched:
        tree = out / BASE_TREE
        git("worktree", "prune")
        if tree.exists():  # of another time, perhaps of another base
            git("-C", str(tree), "checkout", "--quiet", "--detach", base)
        else:
            git("worktree", "add", "--detach", str(tree), base)
        build(tree, f"the base, {base[:10]},")
        new = [name for name in touched if name not in recipes_of(tree)]
        touched = [name for name in touched if name not in new]
    if touched:
        selection = ["--preset", options.preset, "--strategies", ",".join(touched)]
        if options.workloads:
            selection += ["--workloads", options.workloads]
        trees = {"base": out / BASE_TREE, "head": ROOT}
        timed = selection if options.workloads or options.preset != "quick" else [*selection, *RATED]
        results = (*compare_counts(trees, out, selection, options.fail_above), compare_times(trees, out, timed))
    text = page(touched, new, base, options.fail_above, results)
    (out / "gate.md").write_text(text)
    print(text)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(summary, "a", encoding="utf-8") as file:
            file.write(text)
    return 0 if results is None or results[0] else 1


def main(arguments: list[str]) -> int:
    parser = Parser(prog="scripts/gate", description="Compares the strategies that a change touches with those of a base; "
                    "exits with 1 if a count has grown.")
    parser.add_argument("base", help="a commit, such as origin/main")
    parser.add_argument("--fail-above", default="1%", help="how much a count may grow (1%%)")
    parser.add_argument("--preset", default="quick")
    parser.add_argument("--workloads", default="", help="X,Y: only these")
    parser.add_argument("--out", default=str(ROOT / "build/gate"))
    return command(parser, gate, arguments, "interrupted; what is measured is left where it is")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
