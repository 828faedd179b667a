"""A running world server and a client that speaks real HTTP to it, as one episode's browser would."""

import asyncio
import http.client
import threading
from collections import defaultdict
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from habitus.envs.world import WorldServer
from habitus.envs.world.listing import slug


class Reply(HTMLParser):
    """A response with what tests look at on its page."""

    def __init__(self, status, headers, text):
        super().__init__()
        self.status, self.headers, self.text = status, headers, text
        self.tags = defaultdict(list)
        self.words = ""
        self.feed(text if "html" in headers.get("content-type", "") else "")

    def handle_starttag(self, tag, attrs):
        self.tags[tag].append(dict(attrs))

    def handle_data(self, data):
        self.words += " " + " ".join(data.split())

    @property
    def links(self):
        return [a["href"] for a in self.tags["a"]]


class Client:
    def __init__(self, port, headers):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        self.headers = headers

    def send(self, method, host, path, *, body=None, headers=None):
        self._connection.request(method, path, body=body, headers={"host": host, **self.headers, **(headers or {})})
        response = self._connection.getresponse()
        text = response.read().decode()
        return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, text)

    def get(self, host, path, params=None):
        return self.send("GET", host, path + (f"?{urlencode(params, doseq=True)}" if params else ""))

    def post(self, host, path, form):
        return self.send("POST", host, path, body=urlencode(form, doseq=True),
                         headers={"content-type": "application/x-www-form-urlencoded"})

    def choose(self, site, item, *, skip=()):
        """Send the item page's form with the last option of each variant."""
        fields = {slug(site.words[v.key]): v.options[-1] for v in item.variants if v.key not in skip}
        return self.post(site.host, f"/{site.words['path_held']}", {"id": item.id, **fields})


@pytest.fixture(scope="session")
def loop():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture(scope="session")
def server(loop):
    server = WorldServer()
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
    yield server
    asyncio.run_coroutine_threadsafe(server.close(), loop).result(10)


@pytest.fixture
def connect(server):
    """From an episode, or None for a stranger, to a client."""
    return lambda episode: Client(server.port, episode.headers if episode else {})
