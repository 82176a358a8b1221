import pytest

from stowage_report.data import wording
from stowage_report.data.estimates import Estimate

NUMBERS = {
    0.01234: "0.0123", 0.999: "0.999", 0.9996: "1.00", 1.234: "1.23", 9.996: "10.0", 12.34: "12.3", 99.96: "100",
    999.4: "999", 999.6: "1,000", 1234: "1,230", 1234567: "1,230,000",
}


@pytest.mark.parametrize("value", NUMBERS)
def test_numbers_have_three_significant_digits_and_no_exponent(value):
    assert wording.number(value) == NUMBERS[value]


@pytest.mark.parametrize("count, text", [(1, "1"), (1000, "1,000"), (1024, "1k"), (16384, "16k"), (3 << 20, "3M")])
def test_entities_in_powers_of_two(count, text):
    assert wording.entities(count) == text


@pytest.mark.parametrize("ns, time, short", [(12.3, "12.3 ns", "12.3 ns"), (1234, "1.23 \xb5s", "1.23 \xb5s"),
                                             (999_900, "1.00 ms", "1 ms"), (2.5e9, "2.50 s", "2.5 s"), (850, "850 ns", "850 ns")])
def test_times_have_three_digits_or_as_few_as_say_the_same(ns, time, short):
    assert (wording.time(ns), wording.duration(ns)) == (time, short)


@pytest.mark.parametrize("count, text", [(64, "64 B"), (48 << 10, "48 KiB"), (5 << 19, "2.5 MiB"), (8 << 30, "8 GiB")])
def test_sizes_in_bytes(count, text):
    assert wording.size(count) == text


def test_an_estimate_without_an_interval_says_so():
    assert wording.interval(Estimate(1.0)) == "no interval"


@pytest.mark.parametrize("low, text", [(1.0044, "1.004\u20131.10"), (1.012, "1.01\u20131.10"), (1.0, "1.00\u20131.10")])
def test_a_ratio_that_is_no_tie_does_not_read_like_one(low, text):
    assert wording.interval_beside_one(Estimate(1.05, low, 1.1)) == text


COUNTERS = {0: "0", 7.0: "7", 32768: "32,768", 0.5625: "0.5625", 56.2: "56.2", 2.71828: "2.72", 0.0821234: "0.082",
            0.0004: "<0.001", None: wording.ABSENT}


@pytest.mark.parametrize("count", COUNTERS)
def test_counters_are_exact_where_they_can_be(count):
    assert wording.figure(count) == COUNTERS[count]


@pytest.mark.parametrize("names, text", [([], ""), (["a"], "a"), (["a", "b", "c"], "a, b and c")])
def test_listings(names, text):
    assert wording.listing(names) == text
