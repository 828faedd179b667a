"""Intervals and paired tests against scipy, published examples and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from habitus.stats import Interval, Paired, interval, over_repeats, paired, wilson


@pytest.mark.parametrize(("hits", "n", "low", "high"), [
    # Newcombe (1998), Statistics in Medicine 17, table I, method 3.
    (81, 263, 0.2553, 0.3662),
    (15, 148, 0.0624, 0.1605),
    (0, 20, 0.0000, 0.1611),
    (1, 29, 0.0061, 0.1718),
])
def test_wilson_agrees_with_the_published_examples(hits: int, n: int, low: float, high: float) -> None:
    assert wilson(hits / n, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (3, 7), (18, 18), (40, 100)])
def test_binary_values_of_as_many_users_get_scipys_wilson(hits: int, n: int) -> None:
    got = interval([1.0] * hits + [0.0] * (n - hits), [f"u{i}" for i in range(n)])
    if n > 1:
        known = scipy_stats.binomtest(hits, n).proportion_ci(0.95, method="wilson")
        assert got == pytest.approx((hits / n, known.low, known.high, n), abs=1e-9)
    assert 0.0 <= got.low <= got.mean <= got.high <= 1.0


def test_binary_values_get_wilson_on_their_number_whoever_they_are_of() -> None:
    got = interval([1.0] * 9 + [0.0] * 9, [f"u{i // 3}" for i in range(18)])
    assert got == pytest.approx((0.5, *wilson(0.5, 18), 18))


def test_counts_of_0_and_1_are_no_shares() -> None:
    values, users = [1.0, 0.0, 1.0, 1.0], ["a", "b", "c", "d"]
    known = scipy_stats.t.interval(0.95, 3, loc=0.75, scale=scipy_stats.sem(values))
    assert interval(values, users, share=False) == pytest.approx((0.75, *known, 4))
    assert interval([1.0, 1.0], ["a", "a"], share=False) == Interval(1.0, None, None, 2)


def test_below_twenty_users_it_is_students_t_over_user_means() -> None:
    values, users = [0.2, 0.4, 0.9, 0.7, 0.5, 0.3], ["a", "a", "b", "b", "c", "c"]
    means = np.array([0.3, 0.8, 0.4])
    known = scipy_stats.t.interval(0.95, 2, loc=means.mean(), scale=scipy_stats.sem(means))
    assert interval(values, users) == pytest.approx((0.5, *known, 6))


def test_from_twenty_users_on_users_are_resampled() -> None:
    rng = np.random.default_rng(1)
    values, users = [], []
    for user in range(60):
        centre = rng.normal(0.5, 0.1)
        values += list(rng.normal(centre, 0.02, size=4))
        users += [f"u{user}"] * 4
    got = interval(values, users)
    means = np.array(values).reshape(60, 4).mean(axis=1)
    half = 1.96 * means.std() / math.sqrt(60)
    assert (got.low, got.high) == pytest.approx((means.mean() - half, means.mean() + half), abs=0.004)
    # Tasks taken for independent draws would give half that width.
    assert got.high - got.low > 1.6 * 2 * 1.96 * np.std(values) / math.sqrt(240)
    assert interval(values, users) == got
    assert interval(values, users, seed=1) != got


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    users = [f"u{i // 3}" for i in range(30)]
    covered = 0
    for _ in range(400):
        got = interval(list(np.repeat(rng.normal(0.0, 1.0, 10), 3) + rng.normal(0.0, 0.5, 30)), users)
        covered += got.low <= 0.0 <= got.high
    assert 0.92 <= covered / 400 <= 0.98


def test_little_is_said_of_little() -> None:
    assert interval([], []) == Interval(None, None, None, 0)
    assert interval([0.4, 0.6], ["a", "a"]) == Interval(0.5, None, None, 2)
    assert interval([1.0, 1.0, 1.0], ["a"] * 3) == pytest.approx((1.0, *wilson(1.0, 3), 3))


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="2 values and 1 users"):
        interval([0.1, 0.2], ["a"])
    with pytest.raises(ValueError, match="not finite"):
        interval([0.1, math.nan], ["a", "b"])


def test_repeats_are_averaged_first() -> None:
    assert over_repeats([("a", 1.0), ("b", 0.0), ("a", 0.0)]) == {"a": 0.5, "b": 0.0}


def test_few_users_are_tested_exactly() -> None:
    a = {f"t{i}": value for i, value in enumerate([0.9, 0.8, 0.7, 0.6, 0.95])}
    b = {f"t{i}": value for i, value in enumerate([0.4, 0.5, 0.6, 0.55, 0.1])}
    users = {task: f"user of {task}" for task in a}
    known = scipy_stats.permutation_test(
        (np.array([a[t] - b[t] for t in a]),), np.mean, permutation_type="samples", n_resamples=np.inf)
    got = paired(a, b, users)
    assert got.p_value == pytest.approx(known.pvalue)
    assert got.p_value == 2 / 32
    assert got.difference == pytest.approx(0.36)


def test_tasks_of_one_user_are_one_coin() -> None:
    a, b = {f"t{i}": 1.0 for i in range(12)}, {f"t{i}": 0.0 for i in range(12)}
    assert paired(a, b, dict.fromkeys(a, "u")).p_value == 1.0
    assert paired(a, b, {t: f"u{i % 3}" for i, t in enumerate(a)}).p_value == 0.25
    assert paired(a, b, {t: t for t in a}).p_value == pytest.approx(2 / 2**12)


def test_many_users_are_tested_by_seeded_draws() -> None:
    rng = np.random.default_rng(3)
    a = {f"t{i}": float(x) for i, x in enumerate(rng.normal(0.15, 0.4, 40))}
    b = dict.fromkeys(a, 0.0)
    users = {t: t for t in a}
    got = paired(a, b, users)
    assert got.p_value == pytest.approx(scipy_stats.ttest_1samp(list(a.values()), 0.0).pvalue, abs=0.02)
    assert paired(a, b, users) == got
    same = paired(a, a, users)
    assert (same.difference, same.p_value) == (0.0, 1.0)
    assert paired({t: 1.0 for t in a}, b, users).p_value == pytest.approx(1 / 10_001)


def test_only_tasks_that_both_have_are_compared() -> None:
    got = paired({"x": 1.0, "y": 0.5}, {"y": 0.25, "z": 0.0}, {"y": "u"})
    assert got == Paired(0.25, 1.0, 1)
    assert paired({"x": 1.0}, {"y": 1.0}, {}) == Paired(None, None, 0)
