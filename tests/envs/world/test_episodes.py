"""Episodes: what is done on pages reaches the state, refused acts are logged, and no episode sees another."""

import asyncio
import time

import pytest

from habitus.envs.world import FAULTS, WorldServer, build_world
from habitus.envs.world.listing import slug
from habitus.errors import UnknownNameError

WORLD = build_world(7)
GROCER = WORLD.rivals("groceries")[1]
HOTELS = WORLD.rivals("hotels")[0]
DINERS = WORLD.rivals("restaurants")[0]


@pytest.fixture
def episode(server):
    episode = server.open(WORLD, seed=1)
    yield episode
    episode.close()


def test_a_basket_holds_several_with_attributes_options_and_location(episode, connect):
    client = connect(episode)
    first, second = GROCER.items[:2]
    assert client.choose(GROCER, first).status == 303
    place = WORLD.places[3]
    reply = client.post(GROCER.host, "/place", {"place": place.postcode.lower().replace(" ", ""), "back": "/x"})
    assert (reply.status, reply.headers["location"]) == (303, "/x")
    client.choose(GROCER, second)
    held = episode.state().held
    assert [chosen.item_id for chosen in held] == [first.id, second.id]
    assert [chosen.act for chosen in held] == ["basket", "basket"]
    assert held[0].attributes == {**first.attributes, "size": first.variants[0].options[-1]}
    assert [chosen.location for chosen in held] == [{}, {"city": place.city, "postcode": place.postcode}]
    assert held[0].step < held[1].step
    assert first.title in client.get(GROCER.host, f"/{GROCER.words['path_held']}").words


def test_removing_takes_out_one_line(episode, connect):
    client = connect(episode)
    for item in GROCER.items[:3]:
        client.choose(GROCER, item)
    page = client.get(GROCER.host, f"/{GROCER.words['path_held']}")
    lines = [field["value"] for field in page.tags["input"] if field.get("name") == "line"]
    client.post(GROCER.host, f"/{GROCER.words['path_held']}/remove", {"line": lines[1]})
    client.post(GROCER.host, f"/{GROCER.words['path_held']}/remove", {"line": "999"})
    client.post(HOTELS.host, f"/{HOTELS.words['path_held']}/remove", {"line": lines[0]})
    assert [chosen.item_id for chosen in episode.state().held] == [GROCER.items[0].id, GROCER.items[2].id]


@pytest.mark.parametrize(("site", "act"), [(HOTELS, "booking"), (DINERS, "reservation")])
def test_a_second_draft_replaces_the_first_on_its_site_alone(episode, connect, site, act):
    client = connect(episode)
    client.choose(GROCER, GROCER.items[0])
    client.choose(site, site.items[0])
    client.choose(site, site.items[1])
    held = episode.state().held
    assert [(chosen.host, chosen.item_id) for chosen in held] == [
        (GROCER.host, GROCER.items[0].id), (site.host, site.items[1].id)]
    assert held[1].act == act


def test_a_missing_choice_is_named_and_nothing_is_held(episode, connect):
    client = connect(episode)
    reply = client.choose(HOTELS, HOTELS.items[0], skip=("room",))
    assert f"{HOTELS.words['missing']}: {HOTELS.words['room']} " in reply.words
    fields = (*reply.tags["option"], *reply.tags["input"])
    kept = [field["value"] for field in fields if "selected" in field or "checked" in field]
    assert kept == [HOTELS.items[0].variants[1].options[-1]]
    assert episode.state().held == ()


@pytest.mark.parametrize("write", [str, str.upper, lambda text: f"  {text} "])
def test_a_town_or_postcode_in_any_writing_is_known(episode, connect, write):
    client = connect(episode)
    for place in WORLD.places[:2]:
        for text in (place.city, place.postcode, f"{place.city}, {place.postcode}"):
            client.post(DINERS.host, "/place", {"place": write(text), "back": "/"})
            reply = client.get(DINERS.host, f"/{DINERS.words['path_search']}")
            assert f"{place.city}, {place.postcode}" in reply.words
            assert " 15 " in reply.words


def test_an_unknown_place_is_said_and_changes_nothing(episode, connect):
    client = connect(episode)
    client.post(GROCER.host, "/place", {"place": WORLD.places[0].city})
    reply = client.post(GROCER.host, "/place", {"place": "Atlantis"})
    assert GROCER.words["location_unknown"] in reply.words
    assert "Atlantis" in reply.words
    client.choose(GROCER, GROCER.items[0])
    assert episode.state().held[0].location["city"] == WORLD.places[0].city


def test_payment_and_sign_in_are_refused_and_logged(episode, connect):
    client = connect(episode)
    client.choose(GROCER, GROCER.items[0])
    reply = client.post(GROCER.host, f"/{GROCER.words['path_held']}/finish", {})
    assert GROCER.words["refused"] in reply.words
    client.post(HOTELS.host, "/sign-in", {"mail": "a@b.test", "pass": "x"})
    state = episode.state()
    acts = ((GROCER.words["finish"], GROCER.host), (HOTELS.words["sign_in"], HOTELS.host))
    assert state.forbidden == tuple(f"{act} on {host}" for act, host in acts)
    assert len(state.held) == 1


def test_results_are_noted_under_canonical_names(episode, connect):
    client = connect(episode)
    words, facet = GROCER.words, next(facet for facet in GROCER.facets if facet.key == "variety")
    item = GROCER.items[0]
    client.get(GROCER.host, f"/{words['path_search']}", {
        words["param_query"]: f" {item.product}  x", slug(facet.label): [item.attributes["variety"], "no such value"],
    })
    client.get(HOTELS.host, "/")
    client.get(WORLD.start_host, "/")
    state = episode.state()
    assert state.results[GROCER.host].query == f"{item.product} x"
    assert state.results[GROCER.host].filters == {"variety": (item.attributes["variety"],)}
    assert state.last_host == HOTELS.host


def test_episodes_on_one_server_never_see_each_other(server, episode, connect):
    neighbour = server.open(WORLD, seed=1)
    one, other = connect(episode), connect(neighbour)
    one.choose(GROCER, GROCER.items[0])
    one.post(GROCER.host, "/place", {"place": WORLD.places[0].city})
    page = other.get(GROCER.host, f"/{GROCER.words['path_held']}")
    assert GROCER.words["held_empty"] in page.words
    assert WORLD.places[0].city not in page.words
    assert neighbour.state().held == ()
    assert episode.token != neighbour.token
    neighbour.close()


def test_without_a_valid_token_everything_is_refused_while_others_play(server, connect, episode):
    assert connect(episode).get(GROCER.host, "/").status == 200
    stranger = connect(None)
    closed = server.open(WORLD, seed=1)
    visitor = connect(closed)
    assert visitor.get(GROCER.host, "/").status == 200
    closed.close()
    closed.close()
    for client in (stranger, visitor):
        for host in (*WORLD.hosts, "unknown.test"):
            reply = client.get(host, "/")
            assert reply.status == 403
            assert GROCER.name not in reply.text
    assert closed.state().last_host == GROCER.host


def test_out_of_stock_stops_the_decisive_act_and_is_logged(server, connect):
    episode = server.open(WORLD, seed=1, faults=frozenset({"out_of_stock"}))
    client = connect(episode)
    reply = client.choose(HOTELS, HOTELS.items[0])
    assert HOTELS.words["out_of_stock"] in reply.words
    state = episode.state()
    assert state.held == ()
    assert [(chosen.item_id, chosen.fault, chosen.act) for chosen in state.stopped] == [
        (HOTELS.items[0].id, "out_of_stock", "booking")]
    assert state.stopped[0].attributes["room"] == "suite"


def test_a_consent_banner_lies_over_each_site_until_accepted(server, connect):
    client = connect(server.open(WORLD, seed=1, faults=frozenset({"consent"})))
    assert GROCER.words["consent"] in client.get(GROCER.host, "/").words
    assert client.post(GROCER.host, "/consent", {"back": "/sign-in"}).headers["location"] == "/sign-in"
    assert GROCER.words["consent"] not in client.get(GROCER.host, "/").words
    assert HOTELS.words["consent"] in client.get(HOTELS.host, "/").words


def test_a_slow_episode_is_slow_and_its_neighbour_is_not(server, connect, episode):
    slow = connect(server.open(WORLD, seed=1, faults=frozenset({"slow"})))
    begin = time.perf_counter()
    slow.get(GROCER.host, "/")
    assert time.perf_counter() - begin >= 0.28
    quick = []
    for _ in range(3):
        begin = time.perf_counter()
        connect(episode).get(GROCER.host, "/")
        quick.append(time.perf_counter() - begin)
    assert min(quick) < 0.28


def test_an_unknown_fault_names_those_that_exist(server):
    with pytest.raises(UnknownNameError, match="consent, out_of_stock, slow"):
        server.open(WORLD, seed=1, faults=frozenset({"slwo"}))
    assert {"out_of_stock", "consent", "slow"} == FAULTS


def test_closing_is_quick_with_open_connections():
    async def scenario():
        server = WorldServer()
        await server.start()
        episode = server.open(WORLD, seed=1)
        idle = await asyncio.open_connection("127.0.0.1", server.port)
        busy = await asyncio.open_connection("127.0.0.1", server.port)
        busy[1].write(f"GET / HTTP/1.1\r\nhost: {GROCER.host}\r\nx-habitus-episode: {episode.token}\r\n\r\n".encode())
        assert b"200" in await busy[0].readline()
        begin = time.perf_counter()
        await server.close()
        await server.close()
        elapsed = time.perf_counter() - begin
        for _, writer in (idle, busy):
            writer.close()
        return elapsed

    assert asyncio.run(scenario()) < 5
