"""Whose history may stand in for whose: a seeded derangement over people who want other things."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from .errands import Errand
from .personas import Persona


def opposed(errand: Errand, other: Persona) -> bool:
    """Whether another person differs in every slot of an errand: site, both preferences, home."""
    theirs, topic = other.habits[errand.topic], errand.topic
    return (
        other.id != errand.persona.id
        and other.sites[topic.domain] != errand.persona.sites[topic.domain]
        and theirs.trait != errand.habit.trait
        and theirs.choice != errand.habit.choice
        and other.home.city != errand.persona.home.city
    )


def opposites(asked: Sequence[Errand], people: Sequence[Persona], rng: random.Random) -> dict[str, str]:
    """Return for each asker another person, all different.

    The cast gives everyone an opposite with whom they may change places, so there is always an answer.
    """
    options = {
        errand.persona.id: rng.sample(found, len(found))
        for errand in asked
        for found in [[other.id for other in people if opposed(errand, other)]]
    }
    given: dict[str, str] = {}
    for user in options:
        _place(user, options, given, set())
    return {user: other for other, user in given.items()}


def _place(user: str, options: Mapping[str, Sequence[str]], given: dict[str, str], tried: set[str]) -> bool:
    """Give a user one of their options, moving others on where needed (Kuhn's augmenting path)."""
    for other in options[user]:
        if other in tried:
            continue
        tried.add(other)
        if other not in given or _place(given[other], options, given, tried):
            given[other] = user
            return True
    return False
