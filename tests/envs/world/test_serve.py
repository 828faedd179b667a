"""A world for a person's own browser: `.localhost` names with a port, no token, links that lead there."""

import asyncio
import urllib.request

from habitus.envs.world import build_world, serve

WORLD = build_world(7)


def fetch(url):
    host = url.split("/")[2]
    port = host.rpartition(":")[2]
    request = urllib.request.Request(f"http://127.0.0.1:{port}/{url.split('/', 3)[3]}", headers={"host": host})
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.read().decode()


def test_the_start_page_is_announced_and_leads_to_sites_under_localhost():
    async def scenario():
        addresses = asyncio.Queue()
        task = asyncio.create_task(serve(WORLD, announce=addresses.put_nowait))
        start = await asyncio.wait_for(addresses.get(), 5)
        port = start.rstrip("/").rpartition(":")[2]
        site = WORLD.sites[0]
        found = await asyncio.to_thread(fetch, f"{start}search?q={site.name}")
        home = await asyncio.to_thread(fetch, f"http://{site.host.removesuffix('.test')}.localhost:{port}/")
        bare = await asyncio.to_thread(fetch, f"http://127.0.0.1:{port}/")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return start, found, home, bare

    start, found, home, bare = asyncio.run(scenario())
    name = WORLD.sites[0].host.removesuffix(".test")
    assert f'href="http://{name}.localhost:' in found
    assert WORLD.sites[0].words["tagline"] in home
    assert f'href="{start}"' in home
    assert WORLD.start_name in bare
