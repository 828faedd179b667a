"""Every page of every site: it renders, reads well by roles and names, and tells nothing of the episode."""

import pytest

from habitus.envs.world import build_world
from habitus.envs.world.listing import Listing


def addresses(site):
    words = site.words
    yield from ("/", "/sign-in", f"/{words['path_held']}", f"/{words['path_search']}")
    yield from (f"/{words['path_item']}/{item.id}" for item in site.items[::9])
    start = Listing.read(site, ())
    yield start.to_page(2)
    yield start.to_page(0)
    yield from (order.url for order in start.orders())
    yield from (value.url for facet in start.facets(None) for value in facet.values)


@pytest.mark.parametrize("seed", [7, 8])
def test_every_page_renders_with_one_heading_and_labelled_fields_and_leaks_no_token(server, connect, seed):
    world = build_world(seed)
    episode = server.open(world, seed=0)
    client = connect(episode)
    seen = 0
    for site in world.sites:
        for path in addresses(site):
            reply = client.get(site.host, path)
            assert reply.status == 200, (site.host, path)
            assert len(reply.tags["h1"]) == 1, (site.host, path)
            assert len(reply.tags["main"]) == 1
            labelled = {label["for"] for label in reply.tags["label"]}
            fields = [field for field in (*reply.tags["input"], *reply.tags["select"])
                      if field.get("type") != "hidden"]
            assert {field["id"] for field in fields} == labelled, (site.host, path)
            assert len({field["id"] for field in fields}) == len(fields)
            assert episode.token not in reply.text + str(reply.headers) + path
            seen += 1
    assert seen > 200


@pytest.mark.parametrize("seed", [7, 8])
def test_every_link_and_form_of_home_results_and_item_pages_leads_somewhere(server, connect, seed):
    world = build_world(seed)
    client = connect(server.open(world, seed=0))
    for site in world.sites:
        words = site.words
        targets = set()
        for path in ("/", f"/{words['path_search']}", f"/{words['path_item']}/{site.items[0].id}"):
            targets |= {link for link in client.get(site.host, path).links if link.startswith("/")}
        assert len(targets) > 20
        for target in sorted(targets):
            assert client.get(site.host, target).status == 200, (site.host, target)


def test_rivals_show_filters_and_variants_in_their_own_ways(server, connect):
    world = build_world(7)
    client = connect(server.open(world, seed=0))
    for domain in ("groceries", "apparel", "hotels", "restaurants"):
        looks = []
        for site in world.rivals(domain):
            results = client.get(site.host, f"/{site.words['path_search']}")
            checkboxes = [field for field in results.tags["input"] if field.get("type") == "checkbox"]
            submitting = [field for field in results.tags["select"] if "onchange" in field]
            assert bool(checkboxes) == (site.control == "checkbox")
            assert bool(submitting) == (site.control == "select")
            item = client.get(site.host, f"/{site.words['path_item']}/{site.items[0].id}")
            radios = [field for field in item.tags["input"] if field.get("type") == "radio"]
            assert bool(radios) == (site.layout == "sidebar")
            assert not any("checked" in field for field in radios)
            looks.append((site.control, bool(radios), results.words))
        assert looks[0][0] != looks[1][0]
        assert looks[0][1] != looks[1][1]


def test_an_item_page_tells_every_attribute_and_option_in_words(server, connect):
    world = build_world(7)
    client = connect(server.open(world, seed=0))
    for site in world.sites:
        item = site.items[0]
        text = client.get(site.host, f"/{site.words['path_item']}/{item.id}").words.lower()
        for key, value in item.attributes.items():
            if key != "product" and not isinstance(value, float):
                assert all(word in text for word in (value if isinstance(value, tuple) else (value,))), (key, value)
        assert all(option.lower() in text for variant in item.variants for option in variant.options)


def test_the_start_page_searches_and_links_to_sites(server, connect):
    world = build_world(7)
    client = connect(server.open(world, seed=0))
    assert client.get(world.start_host, "/").status == 200
    site = world.sites[4]
    reply = client.get(world.start_host, "/search", {"q": site.name})
    assert f"http://{site.host}/" in reply.links


def test_the_stylesheet_carries_the_theme_of_its_site(server, connect):
    world = build_world(7)
    client = connect(server.open(world, seed=0))
    for site in world.sites:
        reply = client.get(site.host, "/style.css")
        assert reply.headers["content-type"].startswith("text/css")
        assert f"--accent:{site.theme['accent']};" in reply.text


def test_queries_are_escaped(server, connect):
    world = build_world(7)
    client = connect(server.open(world, seed=0))
    site = world.sites[0]
    attack = '"><script>alert(1)</script>'
    for host, path, name in ((site.host, f"/{site.words['path_search']}", site.words["param_query"]),
                             (world.start_host, "/search", "q")):
        assert "<script>alert" not in client.get(host, path, {name: attack}).text
