"""The explicit profile of a person: what the history only shows, said outright."""

from __future__ import annotations

from ...envs.world.model import World
from .entries import thing_words
from .personas import Persona
from .topics import Topic

_USES = {
    "groceries": "orders groceries at",
    "apparel": "buys clothes at",
    "hotels": "books hotels on",
    "restaurants": "books restaurant tables on",
}


def profile_text(world: World, persona: Persona) -> str:
    """Return the profile in plain sentences, one a line."""
    home = persona.home
    lines = [f"{persona.name} lives in {home.city}, {home.postcode}."]
    if persona.old_home and persona.moved:
        lines[0] = (
            f"{persona.name} lives in {home.city}, {home.postcode}, and moved there from {persona.old_home.city} in "
            f"{persona.moved:%B %Y}."
        )
    first = persona.name.split()[0]
    for domain, host in persona.sites.items():
        name = next(site.name for site in world.sites if site.host == host)
        lines.append(f"{first} usually {_USES[domain]} {name} ({host}).")
    lines += [f"{first} {_habit(topic, persona)}." for topic in persona.habits]
    return "\n".join(lines)


def _habit(topic: Topic, persona: Persona) -> str:
    habit = persona.habits[topic]
    if topic.domain == "hotels":
        return f"looks for hotels with the {topic.trait} {habit.trait!r} and takes a {habit.choice} room"
    thing = thing_words(topic.product, topic.trait, habit.trait)
    if topic.domain == "restaurants":
        return f"goes for a {thing} and likes {habit.choice} seating"
    if topic.domain == "apparel":
        return f"wears {thing} in size {habit.choice}"
    return f"buys {thing} in the {habit.choice} pack"
