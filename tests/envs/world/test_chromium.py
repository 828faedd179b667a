"""The sites in a real Chromium: names without ports, controls that act by themselves, a banner that is in the way."""

import asyncio

import pytest
from playwright.async_api import Error, async_playwright

from habitus.envs.browser.launch import find_chromium
from habitus.envs.world import WorldServer, build_world

WORLD = build_world(7)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def in_chromium(scenario, *, faults=frozenset()):
    """Run a scenario on a page of a fresh episode; return the world's state after it."""

    async def run():
        server = WorldServer()
        await server.start()
        episode = server.open(WORLD, seed=0, faults=faults)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=str(find_chromium()), args=[*FLAGS, f"--host-resolver-rules={server.host_rules}"])
            context = await browser.new_context(extra_http_headers=episode.headers)
            page = await context.new_page()
            page.set_default_timeout(20_000)
            await page.goto(episode.start_url)
            await scenario(page)
            await browser.close()
        await server.close()
        return episode.state()

    return asyncio.run(run())


def test_from_the_search_engine_to_a_draft_by_roles_and_names():
    site = next(site for site in WORLD.sites if site.control == "select" and site.domain == "restaurants")
    words, place = site.words, WORLD.places[0]
    cuisine = site.items[0].attributes["cuisine"]

    async def scenario(page):
        await page.get_by_role("searchbox", name="Search the web").fill(site.name)
        await page.get_by_role("button", name="Search").click()
        await page.get_by_role("link", name=site.name, exact=True).click()
        await page.get_by_role("textbox", name=words["location"]).fill(place.postcode)
        await page.get_by_role("button", name=words["location_button"]).click()
        await page.get_by_role("searchbox", name=words["search"]).fill("restaurant")
        await page.get_by_role("search").get_by_role("button").click()
        async with page.expect_navigation():
            await page.get_by_label(words["cuisine"], exact=True).select_option(cuisine)
        await page.get_by_role("main").get_by_role("list").get_by_role("link").first.click()
        for key, option in (("party", "2 people"), ("seating", site.items[0].variants[2].options[0])):
            await page.get_by_label(words[key], exact=True).select_option(option)
        await page.get_by_label(words["time"], exact=True).select_option(index=2)
        await page.get_by_role("button", name=words["choose"]).click()
        await page.get_by_role("status").wait_for()

    state = in_chromium(scenario)
    chosen = state.held[0]
    assert (chosen.host, chosen.act, chosen.location["city"]) == (site.host, "reservation", place.city)
    assert (chosen.attributes["city"], chosen.attributes["cuisine"]) == (place.city.lower(), cuisine)
    assert chosen.attributes["party"] == "2 people"
    assert state.results[site.host].filters == {"cuisine": (cuisine,)}


def test_the_consent_banner_takes_clicks_until_it_is_accepted_and_other_names_do_not_resolve():
    site = WORLD.sites[0]

    async def scenario(page):
        await page.goto(f"http://{site.host}/")
        sign_in = page.get_by_role("link", name=site.words["sign_in"])
        with pytest.raises(Error, match="intercepts pointer events"):
            await sign_in.click(timeout=2000)
        await page.get_by_role("button", name=site.words["consent_accept"]).click()
        await sign_in.click()
        await page.get_by_role("heading", level=1, name=site.words["sign_in"]).wait_for()
        with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
            await page.goto("http://example.org/")

    assert in_chromium(scenario, faults=frozenset({"consent"})).last_host == site.host
