"""What a reader is told to be careful about."""

import dataclasses

import pytest

from stowage_report.data.environment import cautions


def told(run, *, host=None, record=None) -> str:
    changed = dataclasses.replace(run, host=run.host | (host or {}), record=run.record | (record or {}))
    return " ".join(cautions(changed))


@pytest.mark.parametrize("change, phrase", [
    ({"record": {"virtualisation": "kvm"}}, "virtual machine (kvm)"),
    ({"record": {"governor": "powersave"}}, "`powersave`"),
    ({"record": {"commit": "abc (+ local changes)"}}, "local changes"),
    ({"record": {"blocks_done": 3, "interrupted": True}}, "3 of 9 blocks"),
    ({"host": {"load_avg": [1.7, 1, 1]}}, "load 1.7 on 2 processors"),
    ({"record": {"other_programs": 1.24}}, "kept 1.2 of 2 processors busy"),
    ({"host": {"library_build_type": "debug"}}, "debug build"),
])
def test_tells_of_circumstances(run, change, phrase):
    assert phrase in told(run, **change)


def test_says_nothing_of_a_quiet_bare_machine_or_a_load_before_the_run_but_warns_of_too_few_repetitions(make_run):
    run = make_run(sizes=(1024,), axes={"join": {}})
    quiet = {"virtualisation": "none", "governor": "performance"}
    assert told(run, record=quiet) == told(run, host={"load_avg": [1.7, 1, 1]}, record=quiet | {"other_programs": 0.1}) == ""
    assert "fewer than 6 repetitions" in told(make_run(sizes=(1024,), axes={"join": {}}, repetitions=5))
