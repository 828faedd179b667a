"""Whatever is sent, the answer is a page that says no, never a failure of the server."""

from http.client import HTTPConnection
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from habitus.envs.world import build_world

WORLD = build_world(7)
SITE = WORLD.rivals("groceries")[0]
ITEM = f"/{SITE.words['path_item']}"
HELD = f"/{SITE.words['path_held']}"
SEARCH = f"/{SITE.words['path_search']}"


@pytest.fixture(scope="module")
def client(server):
    """Send one request on a connection of its own: the server may end it."""
    episode = server.open(WORLD, seed=0)

    def send(method, path, *, host=SITE.host, body=None, headers=None):
        connection = HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.request(method, path, body=body, headers={"host": host, **episode.headers, **(headers or {})})
        response = connection.getresponse()
        response.read()
        connection.close()
        return response

    return send


@pytest.mark.parametrize("path", [
    "/nowhere", ITEM, f"{ITEM}/", f"{ITEM}/zzz", f"{ITEM}/../../etc/passwd", "/../server.py", "/state", "/favicon.ico",
    "/%2e%2e/%2e%2e/etc/passwd", "/templates/base.html", "//evil.test/", "/%00", "/%ff%fe", f"{ITEM}/{'a' * 5000}",
])
def test_unknown_paths_are_not_found(client, path):
    assert client("GET", path).status == 404


@pytest.mark.parametrize("query", [
    "%ff=%fe", "=&=&&;", "page=-1", "page=999999999999", "page=%C2%B2", "page=all&page=2", "x" * 20_000,
    "q=" + "a" * 20_000, "%00=%00", "q=%F0%9F%92%A9", "sort=nonsense&by=x&order=%00",
])
def test_odd_parameters_still_show_results(client, query):
    query = query.replace("page", SITE.words["param_page"]).replace("q=", f"{SITE.words['param_query']}=")
    assert client("GET", f"{SEARCH}?{query}").status == 200
    assert client("GET", f"/search?{query}", host=WORLD.start_host).status == 200


def test_too_many_parameters_are_a_bad_request(client):
    assert client("GET", f"{SEARCH}?{'a=1&' * 500}").status == 400


@pytest.mark.parametrize(("body", "kind"), [
    (b"a" * 200_000, "application/x-www-form-urlencoded"), (b"a=1&" * 500, "application/x-www-form-urlencoded"),
    (b"{}", "application/json"), (b"", ""), (b"--x--", "multipart/form-data; boundary=x"),
])
def test_forms_that_are_none_are_a_bad_request(client, body, kind):
    assert client("POST", HELD, body=body, headers={"content-type": kind}).status == 400


@pytest.mark.parametrize(("path", "body"), [
    (HELD, "id=zzz"), (HELD, ""), (f"{HELD}/remove", "line=%C2%B2"), (f"{HELD}/remove", "line=" + "9" * 500),
    ("/consent", "back=http://evil.test/"), ("/consent", "back=//evil.test"), ("/consent", "back=/\\evil.test"),
    ("/consent", "back=/%0d%0aset-cookie:x"), ("/place", "place=" + "x" * 9000), ("/place", "place=%00%ff"),
    ("/", "a=1"), (SEARCH, "a=1"),
])
def test_odd_forms_never_fail_and_never_lead_away(client, path, body):
    response = client("POST", path, body=body, headers={"content-type": "application/x-www-form-urlencoded"})
    assert response.status in (200, 303, 404)
    location = response.getheader("location") or "/"
    assert location.startswith("/")
    assert not location.startswith("//")
    assert "evil" not in location
    assert response.getheader("set-cookie") is None


@pytest.mark.parametrize("host", ["", "unknown.test", "..", "a" * 300, "127.0.0.1", "[::1]", "evil.example"])
def test_unknown_hosts_are_not_found(client, host):
    assert client("GET", "/", host=host).status == 404


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"])
def test_other_methods_are_refused(client, method):
    assert client(method, "/").status == 405


def test_head_is_answered_without_a_body(client):
    assert client("HEAD", "/").status == 200


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_searches_without_failure(client, name, value):
    encoded = [quote(text, errors="surrogatepass") for text in (name, value)]
    assert client("GET", f"{SEARCH}?{encoded[0]}={encoded[1]}&{SITE.words['param_query']}={encoded[1]}").status == 200
    assert client("GET", f"/{encoded[0]}/{encoded[1]}").status in (200, 404)
