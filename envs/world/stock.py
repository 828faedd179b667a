"""What two rivals of a domain sell: the same values on both, in other things, so that every wish can be met on either.

Values are laid out so that any two that go together (a variety and a label, a fit and a colour, a meal plan and an
amenity in a city, a cuisine and a diet in a town) meet in at least one thing on each site.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from ...types import AttributeValue
from . import vocabulary as pool
from .model import Item, Variant

Stock = tuple[list[Item], list[Item]]
"""The things of the two rivals."""


def groceries(rng: random.Random) -> Stock:
    """Return food: 6 products, each in 5 varieties, three things a variety, with no, one or two labels."""
    products = rng.sample(sorted(pool.GROCERIES), 6)
    kinds = {product: rng.sample(pool.GROCERIES[product].kinds, 5) for product in products}
    labels = rng.sample(pool.LABELS, 4)

    def one_site(brands: list[str]) -> list[Item]:
        titles = _Titles()
        items = []
        for product in products:
            for kind in kinds[product]:
                makers = rng.sample(brands, 3)
                for maker, marks in zip(makers, _halves(rng, labels), strict=True):
                    bare = f"{_name(maker)} {kind} {product}"
                    fancy = f"{_name(maker)} {rng.choice(pool.GROCERY_EPITHETS)} {product}"
                    items.append(_item(
                        rng, "groceries",
                        title=titles.first_free([bare, fancy] if rng.random() < 0.7 else [fancy, bare]),
                        attributes={
                            "product": product, "variety": kind, "label": marks, "brand": maker,
                            "price": _price(rng, pool.GROCERIES[product].price), "rating": _rating(rng),
                        },
                        variants=(Variant(key="size", options=pool.GROCERIES[product].sizes),),
                    ))
        return items

    return _both(rng, "groceries", one_site, shared=2, own=3)


def apparel(rng: random.Random) -> Stock:
    """Return clothes: 5 products, each in 3 fits by 5 colours, the 3 materials and the brands laid across them."""
    products = rng.sample(sorted(pool.APPAREL), 5)
    fits = {product: rng.sample(pool.APPAREL[product].kinds, 3) for product in products}
    materials = {product: rng.sample(pool.APPAREL[product].materials, 3) for product in products}
    colours = rng.sample(pool.COLOURS, 5)

    def one_site(brands: list[str]) -> list[Item]:
        titles = _Titles()
        items = []
        for product in products:
            turn = rng.randrange(15)
            for row, fit in enumerate(fits[product]):
                for column, colour in enumerate(colours):
                    maker = brands[(column + 2 * row + turn) % len(brands)]
                    model = f"{_name(maker)} {rng.choice(pool.MODELS)}"
                    shown = rng.choice([f"{model} {product}", f"{model} {fit} {product}",
                                        f"{model} {product}, {colour}"])
                    items.append(_item(
                        rng, "apparel",
                        title=titles.first_free([shown, f"{model} {fit} {product}, {colour}"]),
                        attributes={
                            "product": product, "fit": fit, "colour": colour,
                            "material": materials[product][(row + column + turn) % 3], "brand": maker,
                            "price": _price(rng, pool.APPAREL[product].price), "rating": _rating(rng),
                        },
                        variants=(Variant(key="size", options=pool.APPAREL[product].sizes),),
                    ))
        return items

    return _both(rng, "apparel", one_site, shared=2, own=3)


def hotels(rng: random.Random, arrivals: tuple[str, ...]) -> Stock:
    """Return hotels: 7 cities, 4 meal plans in each, three houses a plan, whose amenities cover all 6."""
    cities = rng.sample(pool.CITIES, 7)
    boards = rng.sample(pool.BOARDS, 4)
    facilities = rng.sample(pool.FACILITIES, 6)

    def one_site(chains: list[str]) -> list[Item]:
        titles = _Titles()
        items = []
        for city in cities:
            for board in boards:
                for chain, offers in zip(rng.sample(chains, 3), _halves(rng, facilities), strict=True):
                    quarters = rng.sample(pool.HOTEL_EPITHETS, len(pool.HOTEL_EPITHETS))
                    items.append(_item(
                        rng, "hotels",
                        title=titles.first_free([f"{_name(chain)} {_name(city)} {quarter}" for quarter in quarters]),
                        attributes={
                            "product": "hotel", "city": city, "board": board, "facility": offers, "brand": chain,
                            "stars": float(rng.choice((3, 3, 4, 4, 5))), "price": _price(rng, 128),
                            "rating": _rating(rng),
                        },
                        variants=(Variant(key="room", options=pool.ROOMS),
                                  Variant(key="arrival", options=arrivals)),
                    ))
        return items

    return _both(rng, "hotels", one_site, shared=1, own=4)


def restaurants(rng: random.Random, towns: tuple[str, ...]) -> Stock:
    """Return restaurants: 5 cuisines in each town, three houses a cuisine, one in each price band."""
    cuisines = rng.sample(pool.CUISINES, 5)
    diets = rng.sample(pool.DIETS, 4)
    names = [f"The {first} {last}" for first in pool.RESTAURANT_FIRST for last in pool.RESTAURANT_LAST]
    rng.shuffle(names)
    seating = tuple(rng.sample(pool.SEATING, 4))
    parties = pool.PARTIES[:6]
    times = tuple(pool.TIMES[index] for index in sorted(rng.sample(range(len(pool.TIMES)), 5)))

    def one_site() -> list[Item]:
        items = []
        for town in towns:
            for cuisine, band, needs in _town_menu(rng, cuisines, diets):
                name = names.pop()
                items.append(_item(
                    rng, "restaurants",
                    title=f"{name} {cuisine.capitalize()} Kitchen" if rng.random() < 0.35 else name,
                    attributes={
                        "product": "restaurant", "city": town, "cuisine": cuisine, "diet": needs,
                        "price_band": band, "rating": _rating(rng),
                    },
                    variants=(Variant(key="party", options=parties), Variant(key="time", options=times),
                              Variant(key="seating", options=seating)),
                ))
        return items

    return one_site(), one_site()


def _town_menu(
    rng: random.Random, cuisines: list[str], diets: list[str]
) -> list[tuple[str, str, tuple[str, ...]]]:
    """Deal cuisine, price band and diets to the houses of a town, again until every diet is met in every band."""
    while True:
        dealt = [
            (cuisine, band, needs)
            for cuisine in cuisines
            for band, needs in zip(rng.sample(pool.PRICE_BANDS, 3), _halves(rng, diets), strict=True)
        ]
        if len({(band, diet) for _, band, needs in dealt for diet in needs}) == len(pool.PRICE_BANDS) * len(diets):
            return dealt


class _Titles:
    """The titles of a site, no two of which are equal."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def first_free(self, candidates: list[str]) -> str:
        """Return the first title that is not taken, numbered where all are."""
        numbered = [f"{candidates[-1]} No. {number}" for number in range(2, 10)]
        title = next(title for title in (*candidates, *numbered) if title not in self._taken)
        self._taken.add(title)
        return title


def _both(
    rng: random.Random, domain: str, one_site: Callable[[list[str]], list[Item]], *, shared: int, own: int
) -> Stock:
    brands = rng.sample(pool.BRANDS[domain], shared + 2 * own)
    common, rest = brands[:shared], brands[shared:]
    return one_site(common + rest[:own]), one_site(common + rest[own:])


def _halves(rng: random.Random, words: list[str]) -> tuple[tuple[str, ...], ...]:
    """Deal words to three things: two halves that cover all, and a part of them once more, in any order."""
    dealt = rng.sample(words, len(words))
    half = len(words) // 2
    hands = [tuple(dealt[:half]), tuple(dealt[half:]), tuple(rng.sample(words, rng.randint(half // 2, half)))]
    return tuple(tuple(sorted(hand)) for hand in rng.sample(hands, 3))


def _item(
    rng: random.Random, domain: str, *, title: str, attributes: dict[str, AttributeValue],
    variants: tuple[Variant, ...],
) -> Item:
    words = {key: value for key, value in attributes.items() if isinstance(value, str)}
    shown = {**words, "brand": _name(words.get("brand", "")), "city": _name(words.get("city", ""))}
    description = rng.choice(pool.DESCRIPTIONS[domain]).format(**shown)
    return Item(id="", title=title, product=words["product"], attributes=attributes, variants=variants,
                description=description)


def _name(words: str) -> str:
    return " ".join(word if word in ("and", "of") else word.capitalize() for word in words.split())


def _price(rng: random.Random, middling: float) -> float:
    cents = round(middling * rng.uniform(0.65, 1.5) * 100)
    return (cents // 10 * 10 + 9) / 100 if middling < 20 else float(cents // 100)


def _rating(rng: random.Random) -> float:
    return rng.randint(31, 49) / 10
