"""Verdicts are a function of stored results: for each claim results that make it hold, refute it, and leave it open."""

import json
import re
import shlex

import pytest

from claim_cases import CASES, DEPENDS, HOLDS, REFUTED, UNDECIDED, alive, by_size, mapped, nothing_died
from make_claims import Block, store
from stowage_report.claims import LEDGER, computed, evaluate
from stowage_report.claims.evaluate import claims_named
from stowage_report.claims.evidence import MISSES, TIME
from stowage_report.data.load import load_run

def holding(claim, verdict=HOLDS):
    """The blocks of the first case that makes a claim hold."""
    _, make, numbers, _ = next(case for case in CASES if case[0] == claim and case[3] is verdict)
    return make(*numbers)


#: Decided without any results, and with a part that is: these have tests of their own.
COMPUTED, PARTLY_COMPUTED = {"C9"}, {"C7"}


@pytest.fixture
def verdict_on(tmp_path):
    def evaluated(claim, blocks, **options):
        (evaluation,) = evaluate([load_run(store(tmp_path, blocks, **options))], claims_named([claim]))
        return evaluation
    return evaluated


@pytest.mark.parametrize("claim, make, numbers, verdict", CASES)
def test_the_verdict_follows_from_what_is_stored(verdict_on, claim, make, numbers, verdict):
    evaluation = verdict_on(claim, make(*numbers))
    assert evaluation.ruling.verdict is verdict, evaluation.ruling.figure
    if verdict is not UNDECIDED:
        low, high = evaluation.ruling.interval
        assert low is None or high is None or low <= high
    assert evaluation.ruling.figure and evaluation.command.startswith("stowage ")


@pytest.mark.parametrize("claim", [claim for claim in LEDGER if claim.id not in COMPUTED],
                         ids=lambda claim: claim.id)
def test_each_claim_can_hold_and_be_refuted_and_says_what_it_lacks(verdict_on, claim):
    verdicts = {verdict for name, _, _, verdict in CASES if name == claim.id}
    assert {HOLDS, REFUTED} <= verdicts or claim.id in PARTLY_COMPUTED
    evaluation = verdict_on(claim.id, by_size("unknown", "", "a", "b", (1, 1, 1)), preset="quick")
    assert evaluation.ruling.verdict is UNDECIDED and evaluation.ruling.interval is None
    assert "needs --preset standard: " in evaluation.ruling.figure
    assert evaluation.command.split()[:3] in (["stowage", "run", "--preset"], ["stowage", "cache", "--preset"])


def test_the_ledger_has_every_claim_once_with_all_that_an_entry_needs():
    assert [claim.id for claim in LEDGER] == [f"C{number}" for number in range(1, 33)]
    for claim in LEDGER:
        assert all((claim.source, claim.heading, claim.statement, claim.test, claim.why, claim.refuted_by, claim.parts))
        assert 0 < len(claim.quote.split()) <= 12, claim.id


def test_time_decides_what_is_said_of_speed_and_counts_stand_beside_it(verdict_on):
    alone = verdict_on("C5", holding("C5"))
    fewer_misses = [block.put(MISSES, {"interleaved_pairs": 0.5, "indirection_map": 1}) for block in holding("C5")]
    counted = verdict_on("C5", fewer_misses)
    assert alone.ruling.verdict is counted.ruling.verdict is HOLDS and alone.ruling.interval == counted.ruling.interval
    assert not alone.ruling.others and "misses 0.500 times" in counted.ruling.told
    blocks = holding("C15", REFUTED)  # a better form than the published one
    for block in blocks[:3]:
        block.put(TIME, {"archetype_sections": 0.01})
    evaluation = verdict_on("C15", blocks)
    assert evaluation.ruling.verdict is REFUTED and "archetype_sections, which has columns" in evaluation.ruling.told


@pytest.mark.parametrize("returns, share, verdict", [(262144, 0.95, HOLDS), (262143, 0.2, REFUTED)])
def test_what_is_computed_decides_without_results_and_lazy_collection_by_the_published_loop_too(
        verdict_on, monkeypatch, returns, share, verdict):
    monkeypatch.setattr(computed, "destructions_until_an_id_returns", lambda: returns)
    evaluation = verdict_on("C9", alive(1, 1, 1))
    assert evaluation.ruling.verdict is verdict and evaluation.command == "stowage claims --only C9"
    monkeypatch.setattr(computed, "collected_share", lambda *_: share)
    assert verdict_on("C7", nothing_died(14)).ruling.verdict is verdict


def test_what_the_published_schemes_do():
    # Among so few living a run of four is rare, so that a call ends most; if all but one live, four probes see them.
    assert computed.collected_share(10_000, 0.99, 1, seed=1) > 0.9
    assert computed.collected_share(10_000, 0.0001, 1, seed=1) == 0
    expected = 60 * (0.5**-4 - 1) / 8192  # rows a call, while half are dead
    assert computed.collected_share(16_384, 0.5, 60, seed=1) == pytest.approx(expected, rel=0.2)
    for bits, waiting, laps in (8, 1024, 262144), (2, 4, 16), (0, 1, 1), (3, 1, 8):  # as many as an id has generations
        assert computed.destructions_until_an_id_returns(bits, waiting) == laps
    assert computed.ids_until_a_collision_is_likely(365) == 23  # the birthday problem


def test_a_crossover_has_an_interval_between_what_was_measured(verdict_on):
    blocks = alive(0.5, 1, 2)
    for block in blocks:
        block.put("spread", {"reference.registry_hash_set": 0.1})
    evaluation = verdict_on("C8", blocks)
    assert evaluation.ruling.verdict is DEPENDS
    low, high = evaluation.ruling.interval
    assert 1024 < low < 16384 < high < 262144
    assert verdict_on("C3", holding("C3", DEPENDS)).ruling.interval == (10, 25)  # of exact figures the places around it


def test_times_whose_intervals_include_the_threshold_decide_nothing_and_the_interval_is_of_the_others(verdict_on):
    blocks = by_size("alive", "", "reference.registry_hash_set", "reference.registry_published", (1, 1, 1))
    for block in blocks:
        block.put("spread", {"reference.registry_hash_set": 0.4})
    evaluation = verdict_on("C8", blocks)
    assert evaluation.ruling.verdict is UNDECIDED and "--preset full" in evaluation.ruling.figure
    blocks = alive(5, 7, 1)
    blocks[-1].put("spread", {"reference.registry_hash_set": 0.4})
    evaluation = verdict_on("C8", blocks)
    assert evaluation.ruling.verdict is HOLDS and evaluation.ruling.interval == pytest.approx((5, 7))


def test_misses_that_hardware_counted_are_no_exact_counts_and_a_refuted_part_outweighs_one_that_is_not_known(verdict_on):
    assert verdict_on("C10", holding("C10"), source="hardware").ruling.verdict is UNDECIDED
    slow_look_ups = mapped(5, (300, 400, 600))[-3:]
    assert verdict_on("C3", slow_look_ups).ruling.verdict is REFUTED


def test_of_several_runs_the_first_that_has_the_figures_decides(tmp_path):
    runs = [load_run(store(tmp_path / name, alive(*3 * (ratio,)))) for name, ratio in (("a", 5), ("b", 0.5))]
    other = load_run(store(tmp_path / "c", by_size("lookup", "components:1", "x", "y", (1, 1, 1))))
    claims = claims_named(["C8"])
    assert [evaluate([other, *order], claims)[0].ruling.verdict for order in (runs, runs[::-1])] == [HOLDS, REFUTED]


def test_misses_within_a_first_level_cache_decide_nothing(verdict_on):
    small = holding("C10")
    for block in small:
        workload, parameters = block.place
        block.place = workload, parameters.replace("entities:262144", "entities:1024")
    evaluation = verdict_on("C10", small)
    assert evaluation.ruling.verdict is UNDECIDED and "with 16,384 entities or more" in evaluation.ruling.figure


@pytest.mark.parametrize("claim, larger, alone", [
    ("C24", Block("join", "order:grouped via:each", 1 << 20).put(MISSES, {"indirection_map.paired": 10**9}), UNDECIDED),
    ("C20", Block("removal", "rows:any", 1 << 20).put(TIME, {"hash_index.fixed_capacity": 10.0**9}), UNDECIDED),
    ("C5", Block("point_mass_subset", "bytes:16", 1 << 20).put(TIME, {"interleaved_pairs": 1, "indirection_map": 1}), None),
])
def test_blocks_are_compared_at_the_largest_size_that_all_of_them_have(verdict_on, claim, larger, alone):
    evaluation = verdict_on(claim, [*holding(claim), larger])
    assert evaluation.ruling.verdict is HOLDS and (claim == "C20" or "--entities 262144" in evaluation.command)
    assert alone is None or verdict_on(claim, [larger, *holding(claim)[1:]]).ruling.verdict is alone


def test_an_axis_that_came_later_is_no_obstacle_and_decides_where_it_is(verdict_on):
    structural, *joins = holding("C26")
    values = {name: figures[TIME] for name, figures in structural.figures.items()}
    later = [Block("structural", f"others:4 sets:1 grouped:{grouped}").put(TIME, times)
             for grouped, times in (("yes", dict.fromkeys(values, 42.0)), ("no", values))]
    assert verdict_on("C26", [*later, *joins]).ruling.verdict is HOLDS
    earlier = Block("structural", "others:4 sets:1").put(TIME, values)
    assert verdict_on("C26", [earlier, *joins]).ruling.verdict is HOLDS


def test_the_command_names_what_decided_and_nothing_else(verdict_on):
    commands = {claim: verdict_on(claim, make(*numbers)).command for claim, make, numbers, verdict in CASES
                if verdict is HOLDS}
    assert commands["C5"] == ("stowage run --preset standard --workloads point_mass_subset "
                              "--strategies interleaved_pairs,indirection_map --entities 262144")
    assert commands["C10"].startswith("stowage cache ")
    assert commands["C10"].endswith("--entities 262144 --cells '^join/.*/order:unrelated.*/via:find(/|$)'")
    assert commands["C8"] == ("stowage run --preset standard --workloads alive --strategies "
                              "reference.registry_hash_set,reference.registry_published")


def selected(results: dict, command: str) -> dict:
    """What of the results that command would measure."""
    words = shlex.split(command)
    options = dict(zip(words[2::2], words[3::2]))
    lists = ("--workloads", "--strategies", "--entities")
    wanted = {name: options[name].split(",") for name in lists if name in options}

    def is_selected(name: str) -> bool:
        workload, strategy, entities, *_ = name.split("/")
        parts = {"--workloads": workload, "--strategies": strategy, "--entities": entities.partition(":")[2]}
        return (all(parts[option] in values for option, values in wanted.items())
                and re.search(options.get("--cells", ""), name) is not None)

    return results | {"benchmarks": [entry for entry in results["benchmarks"] if is_selected(entry["run_name"])]}


@pytest.mark.parametrize("claim, make, numbers", [case[:3] for case in CASES if case[3] is not UNDECIDED])
def test_the_command_measures_all_that_decides_and_so_does_that_of_a_claim_without_figures(tmp_path, claim, make, numbers):
    def evaluated(name, blocks):
        return evaluate([load_run(store(tmp_path / name, blocks))], claims_named([claim]))[0]

    def measured_by(command, name):
        results = json.loads((tmp_path / name / "results.json").read_text())
        (tmp_path / name / "results.json").write_text(json.dumps(selected(results, command)))
        return evaluate([load_run(tmp_path / name)], claims_named([claim]))[0]

    everything = [block for other, make_other, others, _ in CASES if other != claim for block in make_other(*others)]
    before = evaluated("all", [*everything, *make(*numbers)])
    assert measured_by(before.command, "all") == before and before.ruling.verdict is not UNDECIDED
    without_figures, alone = evaluated("none", by_size("unknown", "", "a", "b", (1, 1, 1))), evaluated("own", make(*numbers))
    assert measured_by(without_figures.command, "own").ruling == alone.ruling


def test_claims_are_named_in_any_letters_and_once():
    assert [claim.id for claim in claims_named(["c12", "C1", "c12"])] == ["C12", "C1"]
