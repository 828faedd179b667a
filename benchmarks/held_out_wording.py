"""What the agent without a model is worth on sites that speak in words no pool of the generator holds.

The worlds of the given seeds are served twice: as they are drawn, and with every word of the site templates and every
filter's name replaced by the pool below, which stands in this file alone. Things, attributes, people and tasks stay.

    HF_HUB_OFFLINE=1 python benchmarks/held_out_wording.py --world-seeds 0 7

Prints the outcome success of `prg-reflex` over the level 2 tasks, on demand, by the state judge, for both wordings.
The pool was written before the agent's words were last changed, without looking at them. Leave it so: an agent that is
mended by its failures here makes the figure worthless.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from habitus.agents import AgentSetup
from habitus.envs.browser import BrowserWorkspace
from habitus.envs.env import PersonalizationEnv
from habitus.envs.runtime import Runtime
from habitus.envs.world import build_world
from habitus.envs.world.model import Domain, Site, World
from habitus.judges import StateJudge
from habitus.making import EpisodePlan, memory_for
from habitus.registry import build_agent, load_suite
from habitus.runs.rollout import rollout
from habitus.types import TaskBrief, Workspace

Pool = dict[str, tuple[str, str]]
"""Key of the templates to the words of the two rivals of a domain."""

COMMON: Pool = {
    "search_button": ("Start searching", "Let's go"),
    "filters": ("Filter by", "Preferences"),
    "apply": ("Confirm selection", "View the selection"),
    "clear": ("Undo all", "Clear selection"),
    "any": ("Don't mind", "No filter"),
    "sort": ("Sorted by", "Ranking"),
    "sort_relevance": ("Relevance", "Popular"),
    "sort_cheap": ("Price ascending", "Budget first"),
    "sort_dear": ("Price descending", "Luxury first"),
    "sort_rating": ("Highest rated", "Most loved"),
    "sort_name": ("Title", "A-Z"),
    "sort_button": ("Re-sort", "Change order"),
    "results": ("Our offer", "Listings"),
    "nothing": ("That search came up empty.", "There is nothing of that kind."),
    "next": ("Continue", "Following page"),
    "previous": ("Prior page", "Go back"),
    "show_all": ("Complete list", "Full list"),
    "details": ("Specifications", "Overview"),
    "rating": ("Score", "Customers say"),
    "missing": ("Required", "Please complete"),
    "remove": ("Drop", "Cancel this"),
    "sign_in": ("My profile", "Register"),
    "out_of_stock": ("Currently unavailable.", "Sold out at the moment."),
    "consent": ("Your privacy matters: this page stores cookies.", "We and our partners use cookies."),
    "consent_accept": ("I agree", "Understood"),
    "refused": ("The purchase ends here; nothing was charged.", "This last step is not carried out."),
    "path_search": ("catalogue", "explore"),
    "path_item": ("products", "entry"),
    "param_query": ("keywords", "term"),
    "param_sort": ("rank", "sequence"),
    "param_page": ("offset", "nr"),
    "brand": ("Manufacturer", "Company"),
    "product": ("Section", "Range"),
    "stars": ("Official rating", "Hotel grade"),
    "price": ("You pay", "Amount due"),
}

OF_DOMAIN: dict[Domain, Pool] = {
    "groceries": {
        "tagline": ("Supper starts here", "Stock your larder"),
        "search": ("What's on your list?", "Type a product"),
        "browse": ("All categories", "Our range"),
        "choose": ("Add to order", "Buy this"),
        "chosen": ("On your list now.", "We have packed it."),
        "held": ("Your order", "Shopping list"),
        "held_empty": ("Your list has no entries.", "You have not ordered anything."),
        "finish": ("Proceed to checkout", "Submit order"),
        "location": ("Your ZIP or city", "Delivery area"),
        "location_button": ("Check availability", "Confirm area"),
        "location_unknown": ("This area is not served", "We cannot find that address"),
        "location_now": ("Shipping to", "Your order goes to"),
        "path_held": ("your-order", "shopping-list"),
        "variety": ("Variety", "Flavour"),
        "label": ("Dietary", "Certifications"),
        "size": ("Net weight", "Package"),
    },
    "apparel": {
        "tagline": ("Made to be lived in", "Good looks, every day"),
        "search": ("Shop for", "Enter an item of clothing"),
        "browse": ("New in", "Catalogue"),
        "choose": ("Purchase", "Add item"),
        "chosen": ("Put aside for you.", "One more item."),
        "held": ("My items", "Parcel"),
        "held_empty": ("No items.", "Your order has no lines."),
        "finish": ("Proceed to payment", "Submit order"),
        "path_held": ("items", "parcel"),
        "fit": ("Fit", "Fitting"),
        "colour": ("Color", "Colourway"),
        "material": ("Material", "Composition"),
        "size": ("Sizing", "Available sizes"),
    },
    "hotels": {
        "tagline": ("Wake up somewhere new", "Your room is waiting"),
        "search": ("Search destinations", "Where would you like to sleep?"),
        "browse": ("Explore", "All hotels"),
        "choose": ("Book now", "Choose room"),
        "chosen": ("We expect you.", "On your itinerary."),
        "held": ("Itinerary", "Upcoming stays"),
        "held_empty": ("Your itinerary is blank.", "No upcoming stays."),
        "finish": ("Finalise", "Proceed to payment"),
        "path_held": ("itinerary", "upcoming"),
        "city": ("Location", "Region"),
        "board": ("Meal plan", "Dining"),
        "facility": ("Facilities", "Services"),
        "brand": ("Hotel brand", "Operator"),
        "room": ("Accommodation", "Bedroom"),
        "arrival": ("Check in", "Start date"),
    },
    "restaurants": {
        "tagline": ("Dinner is a click away", "A seat for every taste"),
        "search": ("Search by cuisine", "Hungry for something?"),
        "browse": ("All restaurants", "Discover"),
        "choose": ("Book a table", "Make a reservation"),
        "chosen": ("See you there.", "The kitchen knows."),
        "held": ("Bookings", "Upcoming meals"),
        "held_empty": ("No bookings.", "No upcoming meals."),
        "finish": ("Submit booking", "Finalise"),
        "location": ("Your location", "City or ZIP"),
        "location_button": ("Update", "Go there"),
        "location_unknown": ("This area is not served", "We cannot find that address"),
        "location_now": ("Restaurants around", "You are in"),
        "path_held": ("bookings", "upcoming"),
        "city": ("Locality", "Neighbourhood"),
        "cuisine": ("Cuisine", "Type of restaurant"),
        "diet": ("Dietary options", "Suitable for"),
        "price_band": ("Price range", "Cost per head"),
        "party": ("People", "Number of diners"),
        "time": ("Booking time", "Hour"),
        "seating": ("Seating", "Position"),
    },
}


def reworded(world: World) -> World:
    """Return the world with the words and filter names of all its sites drawn from the pool above."""
    return world.model_copy(update={"sites": tuple(
        _reworded(site, [one.host for one in world.rivals(site.domain)].index(site.host)) for site in world.sites
    )})


def _reworded(site: Site, rival: int) -> Site:
    words = {key: pair[rival] for key, pair in {**COMMON, **OF_DOMAIN[site.domain]}.items()}
    if missing := site.words.keys() - words.keys():
        raise SystemExit(f"{site.domain}: the held-out pool lacks {', '.join(sorted(missing))}; add natural words.")
    facets = tuple(facet.model_copy(update={"label": words[facet.key]}) for facet in site.facets)
    return site.model_copy(update={"words": words, "facets": facets})


@dataclass(frozen=True)
class WorldPlan(EpisodePlan):
    """An episode on one given world."""

    world: World | None = None

    async def _workspace(self, brief: TaskBrief, *, seed: int, runtime: Runtime) -> Workspace:
        pool = await runtime.browser()
        episode = (await runtime.world()).open(self.world or build_world(brief.world_seed or 0), seed=seed)
        return BrowserWorkspace(
            pool, headers=episode.headers, allowed_hosts=frozenset(episode.hosts), state=episode.state,
            on_close=episode.close,
        )


async def successes(runtime: Runtime, world: World, *, limit: int | None, concurrency: int) -> dict[str, float]:
    """Return the outcome success of each level 2 task of the world's seed."""
    suite = load_suite("persona2web", world_seed=world.seed)
    tasks = [brief for brief in suite.tasks() if brief.level == 2][:limit]
    memory, slots = memory_for("on_demand", "minilm"), asyncio.Semaphore(concurrency)

    async def one(brief: TaskBrief) -> float:
        plan = WorldPlan(suite=suite, tasks=(brief,), memory=memory, agent="prg-reflex", world=world)
        env = PersonalizationEnv(plan, runtime=runtime)
        async with slots, contextlib.aclosing(env):
            trajectory = await rollout(env, build_agent("prg-reflex", AgentSetup()), task=brief.id, seed=0)
        score = await StateJudge().judge(trajectory, suite.truth(brief.id))
        return score.metrics["outcome_success"].value or 0.0

    values = await asyncio.gather(*(one(brief) for brief in tasks))
    return dict(zip((brief.id for brief in tasks), values, strict=True))


def report(runtime: Runtime, seeds: Sequence[int], limit: int | None) -> None:
    """Run both wordings of each seed and print a line for each, then the means and the tasks lost."""
    found: dict[str, list[float]] = {"ordinary": [], "held out": []}
    lost: list[str] = []
    print(f"{'seed':>5} {'tasks':>6} {'ordinary':>9} {'held out':>9}")
    for seed in seeds:
        world = build_world(seed)
        here = {
            name: runtime.run(successes(runtime, one, limit=limit, concurrency=2))
            for name, one in (("ordinary", world), ("held out", reworded(world)))
        }
        for name, values in here.items():
            found[name] += values.values()
        lost += [f"{seed}:{task}" for task, value in here["ordinary"].items() if value > here["held out"][task]]
        means = [statistics.mean(values.values()) for values in here.values()]
        print(f"{seed:>5} {len(here['ordinary']):>6} {means[0]:>9.2f} {means[1]:>9.2f}", flush=True)
    print(f"{'all':>5} {len(found['ordinary']):>6} {statistics.mean(found['ordinary']):>9.2f} "
          f"{statistics.mean(found['held out']):>9.2f}")
    print(f"lost to the wording: {', '.join(lost) or 'none'}")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world-seeds", type=int, nargs="+", default=[0, 7])
    parser.add_argument("--limit", type=int, help="tasks of each seed; all where left out")
    chosen = parser.parse_args()
    with Runtime() as runtime:
        report(runtime, chosen.world_seeds, chosen.limit)


if __name__ == "__main__":
    main()
