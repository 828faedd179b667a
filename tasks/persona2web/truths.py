"""From an errand and a diary to a brief and a truth with the entries that bear it out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from ...envs.world.model import World
from ...types import Condition, Outcome, Slot, TaskBrief, WebTruth
from .entries import SEARCH, Entry, record_id
from .errands import Errand
from .personas import AS_OF
from .queries import Asked
from .topics import LISTS

NAME = "persona2web"
LEVELS = (0, 1, 2)


def brief_and_truth(
    world: World, errand: Errand, asked: Asked, entries: Sequence[Entry], *, level: int
) -> tuple[TaskBrief, WebTruth]:
    """Return what may be seen of one task and, apart from it, what would be right; the data version is left open."""
    persona, topic = errand.persona, errand.topic
    task_id = f"p2w-{persona.id}-{errand.letter}-L{level}"
    brief = TaskBrief(
        id=task_id, suite=NAME, data_version="", kind="web", query=asked.texts[level], user=persona.id, as_of=AS_OF,
        level=level, category=topic.domain, start_url=world.start_url, world_seed=world.seed,
    )  # fmt: skip
    site = next(site for site in world.sites if site.host == persona.sites[topic.domain])
    truth = WebTruth(
        task_id=task_id,
        data_version="",
        slots=_slots(errand, asked, entries, level=level, site_name=site.name),
        outcome=Outcome(act=site.act, wishes=errand.conditions),
        canary=f"habitus-canary-{hashlib.sha256(f'{world.seed}/{task_id}'.encode()).hexdigest()[:16]}",
    )
    return brief, truth


def _slots(errand: Errand, asked: Asked, entries: Sequence[Entry], *, level: int, site_name: str) -> tuple[Slot, ...]:
    """Return website, two preferences and, where the site needs it, location, each with all that bears it out."""
    persona, topic, habit = errand.persona, errand.topic, errand.habit
    host, home = persona.sites[topic.domain], persona.home

    def bearing(subject: str, key: str, value: str) -> tuple[str, ...]:
        return _numbered(entries, lambda entry: entry.mine and (subject, key, value) in entry.facts)

    slots = [
        Slot(
            kind="website", key=asked.site_key, value=site_name, phrase=asked.site_phrase, given=level == 0,
            conditions=(Condition(attribute="host", op="eq", value=host),),
            evidence=_numbered(entries, lambda entry: entry.host == host and entry.kind != SEARCH),
        ),
        Slot(
            kind="preference", key=asked.trait_key, value=habit.trait, phrase=asked.trait_phrase, given=level < 2,
            conditions=(Condition(attribute=topic.trait, op="has" if topic.trait in LISTS else "eq",
                                  value=habit.trait),),
            evidence=bearing(topic.product, topic.trait, habit.trait),
        ),
        Slot(
            kind="preference", key=asked.choice_key, value=habit.choice, phrase=asked.choice_phrase, given=level < 2,
            conditions=(Condition(attribute=topic.choice, op="eq", value=habit.choice),),
            evidence=bearing(topic.product, topic.choice, habit.choice),
        ),
    ]  # fmt: skip
    if asked.location_key:
        slots.append(
            Slot(
                kind="location", key=asked.location_key, value=f"{home.city}, {home.postcode}", given=level == 0,
                conditions=(Condition(attribute="city", op="eq", value=home.city),),
                evidence=bearing("home", "city", home.city),
            )
        )  # fmt: skip
    return tuple(slots)


def _numbered(entries: Sequence[Entry], bears: Callable[[Entry], bool]) -> tuple[str, ...]:
    return tuple(record_id(number) for number, entry in enumerate(entries, start=1) if bears(entry))
