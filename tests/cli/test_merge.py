"""`stowage merge`: shards of one selection become one run, as if it had been measured in one piece."""

import json
import re
import shlex

import pytest

from conftest import PLAIN_PYTHON, block_of, blocks_of

SELECTION = ("--strategies", "fast,twin", "--workloads", "walk,build", "--entities", "1k,2k,4k")


def split(stowage, whole, count, **hosts):
    """The results of a run as its shards would have them."""
    root = stowage.results(whole)
    order = blocks_of(root)
    for index in range(1, count + 1):
        shard = json.loads(json.dumps(root))
        own = order[index - 1::count]
        shard["benchmarks"] = [entry for entry in root["benchmarks"] if block_of(entry) in own]
        state = shard["context"]["stowage"]
        state.update(shard=f"{index}/{count}", blocks_planned=len(own), blocks_done=len(own), wall_s=1.0,
                     time_pass_s=0.5)
        state["command"] += f" --shard {index}/{count}"
        shard["context"]["host_name"] = hosts.get(f"host{index}", shard["context"]["host_name"])
        place = stowage.directory / f"shard-{index}"
        place.mkdir()
        stowage.write_results(place, shard)
    return [f"shard-{index}" for index in range(1, count + 1)]


@pytest.fixture
def whole(fake, finished):
    assert finished(SELECTION, fake.directory).code in (0, 3)  # 3: without Python there is no report
    return "run"


@pytest.fixture
def shards(fake, whole):
    return split(fake, whole, 3)


def test_a_merged_run_is_the_whole_one(fake, shards):
    outcome = fake("merge", *reversed(shards), "--out", "merged")
    assert outcome.code == 0 and "of 3 shards" in outcome.err
    merged, whole = fake.results("merged"), fake.results("run")
    assert merged["benchmarks"] == whole["benchmarks"]
    for key in ("shard", "blocks_planned", "blocks_done", "strategy_cards", "workload_cards", "passes", "omissions",
                "command"):
        expected = whole["context"]["stowage"][key]
        assert merged["context"]["stowage"][key] == (expected.replace(" --out run", "") if key == "command" else expected)
    assert merged["context"]["stowage"]["wall_s"] == 3 and merged["context"]["stowage"]["time_pass_s"] == 1.5


@pytest.mark.parametrize("second, merged", [("", ""), ("fit to measure", "fit to measure"),
                                            ("not fit to measure: load", "not fit to measure: load")])
def test_a_merged_run_is_fit_if_every_shard_is(fake, shards, second, merged):
    for shard, doctor in zip(shards, ("fit to measure", second, "fit to measure")):
        fake.change_context(shard, {"doctor": doctor})
    assert fake("merge", *shards, "--out", "merged").code == 0
    assert fake.results("merged")["context"]["stowage"].get("doctor", "") == merged


def test_blocks_of_several_machines_say_whose_they_are(fake, whole):
    shards = split(fake, whole, 2, host1="node1", host2="node2")
    assert fake("merge", *shards, "--out", "merged").code == 0
    merged = fake.results("merged")
    assert merged["context"]["host_name"] == "node1, node2"
    assert {entry["host"] for entry in merged["benchmarks"] if "host" in entry} == {"node1", "node2"}
    again = [fake("report", "--format", "tables", "merged", env=PLAIN_PYTHON).code, fake("merge", "merged", "--out", "x").code]
    assert again == [0, 2]


def test_a_block_of_two_shards_is_refused_and_a_missing_shard_is_named_with_the_command_that_measures_it(fake, shards):
    fake("merge", shards[0], shards[2], "--out", "merged").is_refused(2, "shard 2/3 is missing", "--shard 2/3`",
                                                                      "stowage run --strategies fast,twin")
    fake("merge", shards[0], "--out", "merged").is_refused(2, "shards 2/3, 3/3 are missing")
    first, second = (fake.results(shard) for shard in shards[:2])
    block = block_of(first["benchmarks"][0])
    second["benchmarks"] += [entry for entry in first["benchmarks"] if block_of(entry) == block]
    fake.write_results(fake.directory / shards[1], second)
    fake("merge", *shards, "--out", "merged").is_refused(2, block.split("/", 1)[0])
    assert not (fake.directory / "merged").exists()


@pytest.mark.parametrize("changes, words", [
    ({"commit": "0000000000"}, "another commit than shard-1: 0000000000"),
    ({"compiler": "GNU 99"}, "another compiler"),
    ({"flags": "-O0"}, "another flags"),
    ({"seed": 1}, "another seed"),
    ({"cpu_model": "a toaster"}, "another processor"),
    ({"num_cpus": 640}, "another number of processors"),
    ({"os": "another"}, "another system"),
    ({"virtualisation": "xen"}, "another hypervisor"),
    ({"governor": "powersave"}, "another frequency governor"),
    ({"transparent_hugepages": "never"}, "another setting of huge pages"),
    ({"caches": []}, "another caches"),
    ({"preset": "full"}, "another preset"),
    ({"version": "0.0.0"}, "another version"),
    ({"timer": "google-benchmark"}, "another selection than shard-1"),
    ({"entities": [1024]}, "another selection than shard-1"),
    ({"repetitions": 99}, "another selection than shard-1"),
    ({"shard": "2/4"}, "is shard 2/4, and shard-1 is shard 1/3"),
    ({"shard": "1/3"}, "shard 1/3 is there twice, in shard-1 and shard-2"),
    ({"shard": "1/1"}, "shard-2 is a whole run"),
    ({"shard": "two"}, "its shard 'two' is not I/N"),
    ({"shard": "1/4000000000"}, "its shard '1/4000000000' is not I/N"),
    ({"interrupted": True}, "finish it with `stowage run --resume shard-2`"),
    ({"blocks_planned": 99}, "finish it with `stowage run --resume shard-2`"),
])
def test_what_is_no_shard_of_the_same_run_is_refused(fake, shards, changes, words):
    fake.change_context("shard-2", changes)
    fake("merge", *shards, "--out", "merged").is_refused(2, words)
    assert not (fake.directory / "merged").exists()


@pytest.mark.parametrize("recorded, offered", [
    ("stowage run --out 'it'\\''s my dir' --shard=1/3 --cells 'a|b' -- --v=2",
     ["stowage", "run", "--cells", "a|b", "--shard", "2/3", "--", "--v=2"]),
    ("stowage run --workloads 'walk;touch x' --shard 1/3", ["stowage", "run", "--workloads", "walk;touch x", "--shard", "2/3"]),
    ("stowage run --out 'it's", ["stowage", "run", "--shard", "2/3"]),
    ("touch x", ["stowage", "run", "--shard", "2/3"]),
])
def test_the_command_of_a_missing_shard_is_one_of_stowage(fake, shards, recorded, offered):
    fake.change_context("shard-1", {"command": recorded})
    outcome = fake("merge", shards[0], shards[2], "--out", "merged")
    assert shlex.split(re.search("`(.*)`", outcome.err)[1]) == offered


@pytest.mark.parametrize("arguments, words", [
    ((), "name the shards"),
    (("shard-1",), "--out DIR is missing"),
    (("gone", "--out", "x"), "cannot read gone/results.json"),
    (("shard-1", "--out", "run"), "--out run is not empty"),
])
def test_wrong_input_is_refused(fake, shards, arguments, words):
    fake("merge", *arguments).is_refused(2, words)
