"""Maps of the fastest strategy over two parameters: fields show their blocks' winners, lines lie where ratios cross."""

import pytest

from make_blocks import JITTER, make_block, run_of, samples_of
from stowage_report.findings.crossover_map import answers, changes, crossover_maps, maps_of

SHARES = (1, 10, 100)


def field(entities, share, **strategy_ns):
    return make_block("occupancy", entities, {name: samples_of(ns, JITTER if name == "equal" else None)
                                              for name, ns in strategy_ns.items()}, share=str(share))


def a_run():
    """Direct rows win if all own the components, and sooner if there are more entities."""
    blocks = [field(entities, share, reference=0.1, direct=100 / share, map=turn)
              for entities, turn in ((1024, 3.0), (16384, 30.0)) for share in SHARES]
    return run_of(*blocks[:-1])


def only_map(run, names=("occupancy", "entities", "share")):
    (found,) = maps_of(run, *names)
    return found


def test_a_field_is_what_its_block_says():
    found = only_map(a_run())
    assert found.columns == [1024, 16384] and found.rows == [1, 10, 100]
    assert {place: told.best for place, told in answers(found).items()} == {
        (1024, 1): "map", (1024, 10): "map", (1024, 100): "direct", (16384, 1): "map", (16384, 10): "direct",
    }
    told = answers(found)[1024, 1]
    assert told.second == "direct" and told.ratio.median == pytest.approx(100 / 3) and told.remark == "then 33.3×"


def test_a_state_has_a_map_for_each_way_to_keep_it():
    blocks = [make_block("toggle", 16384, {"sections": samples_of(rate * 3.0), "bits": samples_of(10.0 / loops)},
                         rate=str(rate), loops=str(loops), **{"as": kept})
              for rate in (1, 20) for loops in (1, 10) for kept in ("component", "flag")]
    found = maps_of(run_of(*blocks), "toggle", "loops", "rate")
    assert [dict(each.parameters)["as"] for each in found] == ["component", "flag"]
    assert {place: told.best for place, told in answers(found[0]).items()} == {
        (1, 1): "sections", (1, 20): "bits", (10, 1): "bits", (10, 20): "bits"}


def fields(*entities, shares=(1, 10), **strategy_ns):
    return run_of(*(field(count, share, **strategy_ns) for count in entities for share in shares))


def test_equal_strategies_are_said_to_be_equal_and_the_map_names_the_one_that_leads_most_fields():
    for told in answers(only_map(fields(1024, 2048, first=2, equal=2, slow=5))).values():
        assert {told.best, *told.others} == {"first", "equal"} and told.second == "slow" and told.remark == "2 equal"
    blocks = [field(entities, share, first=2 if share < 10 else 9, equal=2, slow=20)
              for entities in (1024, 2048) for share in (1, 10)]
    assert {told.best for told in answers(only_map(run_of(*blocks))).values()} == {"equal"}


def test_leaders_change_places_where_their_ratio_is_one():
    """100 / share is 3 at a share of 33, and 30 at 3.3: the ratio is a power of the share, so that it is exact."""
    found = only_map(a_run())
    (first,), (second,) = (list(changes(found, column)) for column in found.columns)
    assert first.at == pytest.approx(100 / 3) and second.at == pytest.approx(10 / 3)
    assert first.low == pytest.approx(100 / 3) and first.high == pytest.approx(100 / 3)


def test_without_certainty_there_is_no_crossover():
    found = only_map(fields(1024, 16384, first=2, equal=2))
    assert [list(changes(found, column)) for column in found.columns] == [[], []]


def test_the_axis_with_more_values_goes_upwards():
    found = only_map(fields(1024, 2048, 4096, a=1, b=2))
    assert (found.across, found.up) == ("share", "entities") and found.sweep(10).values == [1024, 2048, 4096]


def test_what_is_on_neither_axis_makes_maps_of_their_own():
    blocks = [make_block("churn", entities, {"a": samples_of(1), "b": samples_of(2)}, rate=rate, payload=payload)
              for entities in (1024, 2048) for rate in ("1", "10") for payload in ("16", "64")]
    found = maps_of(run_of(*blocks), "churn", "payload", "rate")
    assert [each.parameters for each in found] == [(("entities", "1024"),), (("entities", "2048"),)]


def test_one_value_of_an_axis_is_no_map(canvas):
    run = fields(1024, shares=SHARES, a=1, b=2)
    assert maps_of(run, "occupancy", "entities", "share") == [] and crossover_maps(canvas(run), run) is None


def test_the_finding_has_a_picture_and_the_same_in_words(tmp_path, canvas):
    run = a_run()
    finding = crossover_maps(canvas(run), run)
    (chart,), (table,) = finding.charts, finding.tables
    assert (tmp_path / "plots/map-occupancy.svg").is_file() and (tmp_path / "plots/map-occupancy.png").is_file()
    assert "at 100 no data" in chart.description and "at 100 direct; then map, 3.00×" in chart.description
    assert "no data" in chart.svg and chart.svg.count(">then ") == 5
    assert table.head == ["share", "entities:1k", "entities:16k"] and table.rows[-1][2] == "no data"


def test_fields_with_several_are_hatched_and_many_that_are_equal_are_counted_and_not_listed(canvas):
    several, one = fields(1024, 2048, first=2, equal=2, slow=5), fields(1024, 2048, first=2, slow=5)
    equal, certain = (crossover_maps(canvas(run), run).charts[0] for run in (several, one))
    assert "pattern" in equal.svg and equal.svg.count(">2 equal<") == 4 and "pattern" not in certain.svg
    many = fields(1024, 2048, **{f"as_fast_{index}": 2 for index in range(6)})
    (table,) = crossover_maps(canvas(many), many).tables
    assert table.rows[0][1] == "`as_fast_0`, equal or open: 5 others"
