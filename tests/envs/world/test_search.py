"""Search: words in any case and number, filters that narrow, towns that limit, an order that never changes."""

import pytest

from habitus.envs.world import build_world, find_items, search_web
from habitus.envs.world.search import SORTS

WORLD = build_world(7)
GROCER = WORLD.rivals("groceries")[0]
HOTELS = WORLD.rivals("hotels")[0]
DINERS = WORLD.rivals("restaurants")[0]


def test_empty_query_finds_everything():
    assert find_items(GROCER, "", {}) == GROCER.items
    assert find_items(GROCER, "   ", {}) == GROCER.items


@pytest.mark.parametrize("site", WORLD.sites, ids=lambda site: site.host)
def test_a_full_title_finds_its_thing_first(site):
    for item in site.items[::7]:
        assert find_items(site, item.title, {})[0].title == item.title


def test_a_named_product_leaves_other_products_out():
    product = GROCER.items[0].product
    for query in (product, product.upper(), f"{product}s", f"my usual {product} please"):
        found = find_items(GROCER, query, {})
        assert {item.product for item in found} == {product}
        assert len(found) == 15


def test_more_words_put_what_matches_all_of_them_first():
    item = next(item for item in GROCER.items if item.attributes["label"])
    variety, label = item.attributes["variety"], item.attributes["label"][0]
    first = find_items(GROCER, f"{label} {variety} {item.product}", {})[0]
    assert (first.attributes["variety"], first.product) == (variety, item.product)
    assert label in first.attributes["label"]


def test_nonsense_finds_nothing():
    assert find_items(GROCER, "xyzzy plugh", {}) == ()
    assert find_items(GROCER, "!!!", {}) == ()


def test_filters_join_keys_by_and_and_values_by_or():
    labels = sorted({label for item in GROCER.items for label in item.attributes["label"]})[:2]
    product = GROCER.items[0].product
    found = find_items(GROCER, "", {"product": (product,), "label": tuple(labels)})
    assert found == tuple(item for item in GROCER.items
                          if item.product == product and set(labels) & set(item.attributes["label"]))
    assert find_items(GROCER, "", {"no such key": ("x",)}) == ()


def test_sorting_orders_by_price_and_rating():
    cheap = [item.attributes["price"] for item in find_items(HOTELS, "hotel", {}, "cheap")]
    assert cheap == sorted(cheap)
    assert [item.attributes["price"] for item in find_items(HOTELS, "hotel", {}, "dear")] == cheap[::-1]
    rated = [item.attributes["rating"] for item in find_items(HOTELS, "hotel", {}, "rating")]
    assert rated == sorted(rated, reverse=True)
    assert all(len(find_items(HOTELS, "", {}, sort)) == len(HOTELS.items) for sort in SORTS)


def test_a_town_limits_restaurants_alone():
    town = WORLD.places[2]
    found = find_items(DINERS, "", {}, location=town)
    assert {item.attributes["city"] for item in found} == {town.city.lower()}
    assert find_items(GROCER, "", {}, location=town) == GROCER.items


def test_the_web_search_finds_sites_by_name_and_by_trade_and_things_on_all_sites():
    for site in WORLD.sites:
        assert search_web(WORLD, site.name)[0].host == site.host
        assert search_web(WORLD, site.host)[0].host == site.host
    for domain in ("groceries", "hotels", "restaurants"):
        assert {result.host for result in search_web(WORLD, domain)[:2]} == {s.host for s in WORLD.rivals(domain)}
    item = HOTELS.items[3]
    assert any(result.path.endswith(item.id) for result in search_web(WORLD, item.title))
    assert search_web(WORLD, "") == search_web(WORLD, "zzzz") == ()
