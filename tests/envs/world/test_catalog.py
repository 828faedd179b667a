"""The catalogue: the same bytes from one seed, another web from another, and every wish met by both rivals."""

import itertools
import subprocess
import sys

import pytest

from habitus.envs.world import ACTS, FACETS, build_world
from habitus.envs.world.listing import slug
from habitus.envs.world.search import words_of

SEEDS = (0, 1, 2, 7)
WITHIN = {"groceries": "product", "apparel": "product", "hotels": "city", "restaurants": "city"}


def values(items, key):
    return {word for item in items for word in words_of(item.attributes[key])}


def test_the_same_seed_gives_the_same_bytes_in_another_process():
    script = "from habitus.envs.world import build_world; print(build_world(3).model_dump_json())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == build_world(3).model_dump_json()


def test_another_seed_differs_in_hosts_wording_themes_items_brands_and_places():
    one, other = build_world(1), build_world(2)
    assert not set(one.hosts) & set(other.hosts)
    assert {place.postcode for place in one.places}.isdisjoint(place.postcode for place in other.places)
    assert {place.city for place in one.places} != {place.city for place in other.places}
    for a, b in zip(one.sites, other.sites, strict=True):
        assert a.words != b.words
        assert a.theme != b.theme
        assert {item.title for item in a.items} != {item.title for item in b.items}
        assert {item.id for item in a.items}.isdisjoint(item.id for item in b.items)
    for domain in ("groceries", "apparel", "hotels"):
        assert values(one.rivals(domain)[0].items, "brand") != values(other.rivals(domain)[0].items, "brand")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_world_has_two_rivals_a_domain_under_hosts_of_their_own(seed):
    world = build_world(seed)
    assert len(set(world.hosts)) == 9
    assert all(host.endswith(".test") and host.removesuffix(".test").isalnum() for host in world.hosts)
    assert len(world.places) >= 6
    for domain, act in ACTS.items():
        first, second = world.rivals(domain)
        assert first.act == second.act == act
        assert first.layout != second.layout
        assert first.control != second.control
        assert first.theme["accent"] != second.theme["accent"]
        assert [key for key in first.words if first.words[key] == second.words[key]] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_every_site_sells_60_things_of_unique_title_and_id(seed):
    for site in build_world(seed).sites:
        assert len(site.items) >= 60
        assert len({item.title for item in site.items}) == len({item.id for item in site.items}) == len(site.items)
        assert all(len(variant.options) >= 4 for item in site.items for variant in item.variants)
        assert all(value == value.lower() for item in site.items for value in item.attributes.values()
                   if isinstance(value, str))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_value_of_a_product_or_a_city_is_sold_twice_by_both_rivals(seed):
    world = build_world(seed)
    for domain, keys in FACETS.items():
        first, second = world.rivals(domain)
        for group in values(first.items, WITHIN[domain]):
            stocks = [[item for item in site.items if item.attributes[WITHIN[domain]] == group]
                      for site in (first, second)]
            assert len(stocks[1]) >= 8
            for key in set(keys) - {WITHIN[domain], "brand"}:
                assert values(stocks[0], key) == values(stocks[1], key)
                for stock, word in itertools.product(stocks, values(stocks[0], key)):
                    assert sum(word in words_of(item.attributes[key]) for item in stock) >= 2


@pytest.mark.parametrize("seed", SEEDS)
def test_any_two_values_of_a_product_or_a_city_meet_in_one_thing(seed):
    for site in build_world(seed).sites:
        within = WITHIN[site.domain]
        keys = sorted(set(FACETS[site.domain]) - {within, "brand"})
        for group in values(site.items, within):
            stock = [item for item in site.items if item.attributes[within] == group]
            for a, b in itertools.combinations(keys, 2):
                met = {pair for item in stock
                       for pair in itertools.product(words_of(item.attributes[a]), words_of(item.attributes[b]))}
                assert met == set(itertools.product(values(stock, a), values(stock, b)))


@pytest.mark.parametrize("seed", range(20))
def test_addresses_of_a_site_never_collide(seed):
    for site in build_world(seed).sites:
        words = site.words
        params = [words["param_query"], words["param_sort"], words["param_page"],
                  *(slug(facet.label) for facet in site.facets)]
        assert len(set(params)) == len(params), params
        fields = ["id", *(slug(words[variant.key]) for variant in site.items[0].variants)]
        assert len(set(fields)) == len(fields)
        paths = [words["path_search"], words["path_item"], words["path_held"], "place", "consent", "sign-in"]
        assert len(set(paths)) == len(paths)


def test_restaurants_lie_in_the_towns_of_the_world():
    world = build_world(5)
    towns = {place.city.lower() for place in world.places}
    for site in world.rivals("restaurants"):
        assert values(site.items, "city") == towns
