"""Prints what three comparisons found beside what they had to find; exit code 1 if one of them did not."""

import json
import sys
from pathlib import Path

PLANTED = "planted_slowdown"
FALSE_ALARMS = 0.05


def strategy_of(cell):
    return cell.split("/")[1]


def significant(time):
    return [cell for cell in time["cells"] if cell["verdict"] in ("slower", "faster")]


def main(directory):
    found = {name: json.loads((directory / f"{name}.json").read_text(encoding="utf-8"))
             for name in ("itself", "repeated", "planted")}
    codes = {name: int((directory / f"{name}.code").read_text(encoding="utf-8")) for name in found}
    checks = []
    for name, told in (("itself", "a run with itself"), ("repeated", "two runs of one build")):
        time, counts = found[name]["time"], found[name]["counts"]
        changed = significant(time)
        checks += [
            (f"{told}: exact counts that differ, of {counts['figures']}", counts["differ"], counts["differ"] == 0),
            (f"{told}: cells that differ in time, of {len(time['cells'])}", len(changed),
             len(changed) <= FALSE_ALARMS * len(time["cells"])),
            (f"{told}: cells that nothing can be said of (half at most; else the machine was too busy)",
             time["undecided"], 2 * time["undecided"] <= len(time["cells"])),
            (f"{told}: exit code", codes[name], codes[name] == 0),
        ]
    planted = found["planted"]
    verdicts = {each["strategy"]: each for each in planted["time"]["strategies"]}
    others = [name for name, each in verdicts.items() if name != PLANTED and each["verdict"] == "slower"]
    change = verdicts[PLANTED]
    interval = f"{change['ratio_low']:.3f} to {change['ratio_high']:.3f}" if "ratio_low" in change else "no interval"
    ratio = f"{change['ratio']:.3f} ({interval})"
    slower = [cell for cell in planted["time"]["cells"]
              if strategy_of(cell["cell"]) == PLANTED and cell["verdict"] == "slower"]
    checks += [
        (f"10 % planted: time of {PLANTED} after / before", ratio, change["verdict"] == "slower"),
        ("10 % planted: it is beyond --fail-above 5%", ", ".join(planted["fail_above"]["strategies"]) or "none",
         planted["fail_above"]["strategies"] == [PLANTED]),
        ("10 % planted: its cells that are slower", len(slower), bool(slower)),
        ("10 % planted: other strategies that are slower", ", ".join(others) or "none", not others),
        ("10 % planted: exact counts that differ", planted["counts"]["differ"], planted["counts"]["differ"] == 0),
        ("10 % planted: exit code", codes["planted"], codes["planted"] == 1),
    ]
    for what, value, is_right in checks:
        print(f"{'ok ' if is_right else 'NOT'}  {what}: {value}")
    return 0 if all(is_right for _, _, is_right in checks) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
