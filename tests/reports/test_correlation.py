import pytest

from stowage_report.findings.clock import spearman


@pytest.mark.parametrize("xs, ys, rank", [
    ([1, 2, 3, 4, 5], [10, 100, 1000, 1e4, 1e5], 1),
    ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], -1),
    ([1, 2, 3, 4, 5], [2, 1, 4, 3, 5], 0.8),  # 1 - 6 * 4 / (5 * 24)
    ([0, 0, 0, 1, 2], [1, 2, 3, 4, 5], 8 / (8 * 10) ** 0.5),  # three share rank 2
])
def test_is_the_correlation_of_the_ranks(xs, ys, rank):
    assert spearman(xs, ys) == pytest.approx(rank)


def test_does_not_depend_on_the_order_of_the_pairs():
    xs, ys = [3.0, 1.0, 2.0, 2.0, 7.0, 5.0], [1.0, 4.0, 2.0, 9.0, 3.0, 5.0]
    assert spearman(xs, ys) == pytest.approx(spearman(xs[::-1], ys[::-1]))


@pytest.mark.parametrize("xs, ys", [([1, 2, 3, 4], [1, 2, 3, 4]), ([1] * 6, [1, 2, 3, 4, 5, 6]), ([], [])])
def test_says_nothing_of_too_few_or_of_equal_figures(xs, ys):
    assert spearman(xs, ys) is None
