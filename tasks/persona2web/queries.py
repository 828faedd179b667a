"""The three levels of a query: everything said, the site masked, site and preferences masked."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ...envs.world.model import Domain
from .entries import thing_words
from .personas import Persona
from .topics import Habit, Topic

_TRAITS: dict[str, tuple[str, tuple[str, ...]]] = {
    "variety": ("kind of {p}", ("[my usual kind of {p}]", "[the kind of {p} I normally buy]")),
    "label": ("label on {p}", ("{p} with [my usual label]", "{p} with [the label I normally look for]")),
    "brand": ("brand of {p}", ("{p} from [my usual brand]", "{p} from [the brand I normally buy]")),
    "fit": ("fit of {p}", ("{a} with [my usual fit]", "{a} with [the fit I normally wear]")),
    "colour": ("colour of {p}", ("{a} of [my usual colour]", "{a} of [the colour I normally go for]")),
    "material": ("material of {p}", ("{a} made of [my usual material]", "{a} made of [the material I normally wear]")),
    "facility": ("hotel amenity", ("{a} with [my usual amenity]", "{a} with [the amenity I normally look for]")),
    "board": ("hotel meal plan", ("{a} with [my usual meal plan]", "{a} with [the meal plan I normally book]")),
    "cuisine": ("cuisine", ("{a} with [my usual cuisine]", "{a} with [the cuisine I normally go for]")),
    "diet": ("diet", ("{a} that suits [my usual diet]", "{a} that caters for [the diet I normally follow]")),
}
"""Trait to the category and to noun phrases; the brackets hold the words that stand for the value."""

_CHOICES: dict[Domain, tuple[str, tuple[str, ...], str]] = {
    "groceries": (
        "pack size of {p}",
        ("in [my usual pack size]", "in [the pack size I normally get]"),
        "in the {v} pack",
    ),
    "apparel": ("size of {p}", ("in [my usual size]", "in [the size I normally take]"), "in size {v}"),
    "hotels": ("hotel room type", ("in [my usual room type]", "in [the room type I normally book]"), "in a {v} room"),
    "restaurants": (
        "restaurant seating",
        ("choosing [my usual seating]", "choosing [the seating I normally pick]"),
        "choosing {v} seating",
    ),
}

_SITES: dict[Domain, tuple[str, tuple[str, ...]]] = {
    "groceries": ("grocery shop", ("at [my usual grocery shop]", "at [the grocery shop I normally order from]")),
    "apparel": ("clothes shop", ("at [my usual clothes shop]", "at [the clothes shop I normally order from]")),
    "hotels": ("hotel site", ("on [my usual hotel site]", "on [the hotel site I normally book with]")),
    "restaurants": (
        "restaurant booking site",
        ("on [my usual table booking site]", "on [the restaurant site I normally book with]"),
    ),
}

_BODIES: dict[Domain, tuple[str, ...]] = {
    "groceries": ("put {thing} {choice} into the basket", "add {thing} {choice} to the basket"),
    "apparel": ("put {thing} {choice} into the basket", "add {thing} {choice} to the basket"),
    "hotels": (
        "make a booking draft in {city} for {thing}, arriving on {arrival}, {choice}",
        "prepare a booking draft in {city} for {thing}, {choice}, arrival on {arrival}",
    ),
    "restaurants": (
        "make a reservation draft for {party} at {time} at {thing}, {choice}",
        "prepare a reservation draft at {thing}, {choice}, for {party} at {time}",
    ),
}
_ENDS: dict[Domain, tuple[str, ...]] = {
    "groceries": ("Do not pay.", "Stop there, before any payment.", "Leave it unpaid."),
    "apparel": ("Do not pay.", "Stop there, before any payment.", "Leave it unpaid."),
    "hotels": ("Do not pay.", "Leave it as a draft.", "Stop before any payment."),
    "restaurants": ("Do not confirm it.", "Leave it as a draft.", "Stop before it is confirmed."),
}
_LOCATIONS: dict[Domain, str] = {"groceries": "delivery address", "restaurants": "home town"}


@dataclass(frozen=True)
class Asked:
    """A query set: the text by level, and of each slot the category and the words that stand for it at level 2."""

    texts: tuple[str, str, str]
    site_key: str
    site_phrase: str
    trait_key: str
    trait_phrase: str
    choice_key: str
    choice_phrase: str
    location_key: str
    """Empty where the domain needs no location."""


def ask(topic: Topic, habit: Habit, persona: Persona, wishes: dict[str, str], rng: random.Random) -> Asked:
    """Word one errand in three levels.

    Args:
        topic: What it is about.
        habit: The values that level 2 leaves out.
        persona: Who asks.
        wishes: What every level states beside the product: `city` and `arrival`, or `party` and `time`.
        rng: Draws among wordings.

    Returns:
        The wording; location is named at level 0 alone, after the query, as in Persona2Web.
    """
    domain, product = topic.domain, topic.product
    trait_key, traits = _TRAITS[topic.trait]
    choice_key, choices, plain_choice = _CHOICES[domain]
    site_key, sites = _SITES[domain]
    nouns = {"p": product, "a": _article(product, domain)}
    thing, trait_phrase = _phrase(traits, rng, nouns)
    choice, choice_phrase = _phrase(choices, rng, {})
    at_site, site_phrase = _phrase(sites, rng, {})
    body, end, leading = rng.choice(_BODIES[domain]), rng.choice(_ENDS[domain]), rng.random() < 0.5
    shown = {**wishes, "city": wishes.get("city", "").title()}
    vague = body.format(thing=thing, choice=choice, **shown)
    plain = body.format(thing=_plain(topic, habit), choice=plain_choice.format(v=habit.choice), **shown)
    location_key = _LOCATIONS.get(domain, "")
    where = f" ({persona.home.city}, {persona.home.postcode})" if location_key else ""
    return Asked(
        texts=(
            f"At {persona.sites[domain]}, {plain}. {end}{where}",
            f"{_joined(plain, at_site, leading=leading)}. {end}",
            f"{_joined(vague, at_site, leading=leading)}. {end}",
        ),
        site_key=site_key,
        site_phrase=site_phrase,
        trait_key=trait_key.format(p=product),
        trait_phrase=trait_phrase,
        choice_key=choice_key.format(p=product),
        choice_phrase=choice_phrase,
        location_key=location_key,
    )


def _phrase(templates: Sequence[str], rng: random.Random, nouns: dict[str, str]) -> tuple[str, str]:
    """Return a drawn wording without its brackets, and what stood in them."""
    text = rng.choice(templates).format(**nouns)
    start, end = text.index("["), text.index("]")
    return text.replace("[", "").replace("]", ""), text[start + 1 : end]


def _plain(topic: Topic, habit: Habit) -> str:
    """Name the thing with its trait outright."""
    if topic.domain == "hotels":
        return f"a hotel ({habit.trait})"
    return _article(thing_words(topic.product, topic.trait, habit.trait), topic.domain)


def _article(noun: str, domain: Domain) -> str:
    if domain == "groceries" or (noun.endswith("s") and domain == "apparel"):
        return noun
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def _joined(body: str, at_site: str, *, leading: bool) -> str:
    text = f"{at_site}, {body}" if leading else f"{body}, {at_site}"
    return text[0].upper() + text[1:]
