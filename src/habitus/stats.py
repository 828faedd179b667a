"""Means with intervals, and paired tests, with users as the unit that is drawn (SCORING.md, "Intervals and tests").

Tasks of one user share that user's history and are no independent draws: intervals and tests look at users. The one
exception is Wilson's interval, for values that are all 0 or 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

CONFIDENCE = 0.95
"""Coverage that every interval aims at."""
DRAWS = 10_000
"""Bootstrap and permutation draws."""
BOOTSTRAP_USERS = 20
"""From so many users on, users are resampled; below, Student's t is used."""
EXACT_USERS = 13
"""Up to so many users, all sign flips are tried (2**13 = 8192); above, `DRAWS` random ones."""


class Interval(NamedTuple):
    """A mean with its 95 % interval.

    Attributes:
        mean: Mean over values; None where there is none.
        low: Lower end; None where the values tell nothing of the spread (a single user).
        high: Upper end; None as `low`.
        n: Number of values.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int


class Paired(NamedTuple):
    """Two cells compared on the tasks both have.

    Attributes:
        difference: Mean over users of the user's mean difference, first minus second; None without a common task.
        p_value: Two-sided, in (0, 1]; None without a common task.
        n: Number of common tasks.
    """

    difference: float | None
    p_value: float | None
    n: int


def over_repeats(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return each task's mean over its repeats, in the order tasks first appear.

    Args:
        values: Pairs of task id and value, one a repeat.
    """
    repeats: dict[str, list[float]] = defaultdict(list)
    for task, value in values:
        repeats[task].append(value)
    return {task: sum(found) / len(found) for task, found in repeats.items()}


def interval(values: Sequence[float], users: Sequence[str], *, share: bool = True, seed: int = 0) -> Interval:
    """Return the mean of a metric with its 95 % interval.

    Where every value is 0 or 1, Wilson's score interval on the number of values; it takes them for independent, tasks
    of one user too. Otherwise, from 20 users on, the percentile interval of 10,000 resamples of users with all their
    values; below, Student's t with users - 1 degrees of freedom on the clustered standard error, which is that of the
    user means where each user has equally many values. The ends are not cut to the metric's range.

    Args:
        values: One a task, repeats averaged before (`over_repeats`); finite.
        users: The user of each value.
        share: Whether the values are shares, in [0, 1]. Counts are not, and a count of 0 or 1 is no failure or success.
        seed: Of the resampling.

    Raises:
        ValueError: The lengths differ, or a value is not finite.
    """
    x, sums, sizes = _by_user(values, users)
    n, k = x.size, sums.size
    if n == 0:
        return Interval(None, None, None, 0)
    mean = float(x.mean())
    if share and bool(np.isin(x, (0.0, 1.0)).all()):
        low, high = wilson(mean, n)
        return Interval(mean, low, high, n)
    if k == 1:
        return Interval(mean, None, None, n)
    if k < BOOTSTRAP_USERS:
        half = float(t.ppf(0.5 + CONFIDENCE / 2, k - 1)) * _clustered_error(mean, sums, sizes)
        return Interval(mean, mean - half, mean + half, n)
    picked = np.random.default_rng(seed).integers(k, size=(DRAWS, k))
    means = sums[picked].sum(axis=1) / sizes[picked].sum(axis=1)
    low, high = np.quantile(means, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2])
    return Interval(mean, float(low), float(high), n)


def wilson(share: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % score interval of a share, in [0, 1].

    Args:
        share: Observed share, in [0, 1].
        n: Number of draws, above 0.
    """
    z = float(norm.ppf(0.5 + CONFIDENCE / 2))
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))
    return max(0.0, middle - half), min(1.0, middle + half)


def paired(a: Mapping[str, float], b: Mapping[str, float], users: Mapping[str, str], *, seed: int = 0) -> Paired:
    """Compare two cells on the tasks both have, by a sign-flip permutation of user means, two-sided.

    Under the hypothesis that the cells are alike, the sign of each user's mean difference is a coin's. The p-value is
    the share of sign choices whose absolute mean is at least the observed one: over all choices up to 13 users, else
    over 10,000 random ones with the observed one counted in.

    Args:
        a: Task id to value, repeats averaged before.
        b: The same for the other cell.
        users: Task id to user, for every common task.
        seed: Of the random choices.

    Raises:
        ValueError: A value is not finite.
        KeyError: A common task has no user.
    """
    tasks = sorted(a.keys() & b.keys())
    if not tasks:
        return Paired(None, None, 0)
    _, sums, sizes = _by_user([a[task] - b[task] for task in tasks], [users[task] for task in tasks])
    means = sums / sizes
    k = means.size
    if k <= EXACT_USERS:
        signs = 1.0 - 2.0 * (np.arange(2**k)[:, None] >> np.arange(k) & 1)
        extra = 0
    else:
        signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(DRAWS, k))
        extra = 1
    observed = float(means.mean())
    # A sum in another order differs in its last bits: what ties with the observed mean must count as a tie.
    as_extreme = int((np.abs(signs @ means / k) >= abs(observed) - 1e-12).sum())
    return Paired(observed, (as_extreme + extra) / (len(signs) + extra), len(tasks))


def _by_user(
    values: Sequence[float], users: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return all values, shape (n,), and each user's sum and number of values, both of shape (users,)."""
    if len(values) != len(users):
        raise ValueError(f"every value has a user: found {len(values)} values and {len(users)} users")
    x = np.asarray(values, dtype=np.float64)
    if not np.isfinite(x).all():
        raise ValueError("a value is not finite: leave out what was not scored")
    names, which = np.unique(np.asarray(users, dtype=str), return_inverse=True)
    sums = np.bincount(which, weights=x, minlength=names.size).astype(np.float64)
    return x, sums, np.bincount(which, minlength=names.size).astype(np.float64)


def _clustered_error(mean: float, sums: NDArray[np.float64], sizes: NDArray[np.float64]) -> float:
    """Return the standard error of the mean over values with users as clusters; at least two users."""
    k = sums.size
    residuals = sums - mean * sizes
    return float(np.sqrt(k / (k - 1) * (residuals**2).sum()) / sizes.sum())
