"""How history entries are worded: templates by domain and kind, remarks, and the noise of everyday searches.

A field shows a fact: `{thing}`, `{named}`, `{trait}` and `{said}` the trait, `{choice}` the variant, `{title}` whatever
stands in it, `{place}` and `{town}` where the person is. No template states a preference: a habit shows by coming
again.
"""

from __future__ import annotations

from ...envs.world.model import Domain

SEARCHES: dict[Domain, tuple[str, ...]] = {
    "groceries": (
        "{thing} {choice}", "{thing}", "{thing} on offer this week", "{thing} {choice} price", "{bare} {choice}",
        "{thing} grocery delivery {town}", "how long does {thing} keep", "{choice} pack of {thing}",
    ),
    "apparel": (
        "{thing} {choice}", "{thing}", "{bare} {choice} in stock", "{thing} sale {choice}", "how to wash {thing}",
        "{thing} new season", "{choice} {thing}",
    ),
    "hotels": (
        "hotel {away} {trait}", "{away} hotel {choice} room", "{trait} hotel {away}",
        "hotel {away} {choice} room {trait}",
        "{away} hotel near the station {trait}", "{n} nights {away} hotel {choice}",
    ),
    "restaurants": (
        "{thing} {town}", "{thing} {choice} {town}", "{thing} near {place}", "restaurant {choice} seats {town}",
        "{thing} open {clock} {town}", "dinner {town} {thing}",
    ),
}

VISITS: dict[Domain, tuple[str, ...]] = {
    "groceries": (
        "{title}, product page, {choice} pack", "{site} grocery aisle, looked at {thing}",
        "{thing}, {choice}, on {site}",
        "{named}, ingredients and allergens", "Basket at {site} with {thing}, {choice}",
        "Grocery list at {site}: {thing}, {other}",
    ),
    "apparel": (
        "{named}, {choice} picked in the size menu", "{site} clothes shop, page of {thing}",
        "New arrivals at {site}, {bare}: {thing}", "Size chart for {bare}, {choice}", "{named}, photos",
        "Clothes basket at {site} with {thing}, {choice}",
    ),
    "hotels": (
        "{title}, hotel page, {choice} room, {said}", "{site} hotel list for {away}, {said} ticked",
        "Hotel photos of {title}: {said}", "{title} hotel, {choice} room, prices by night",
        "Hotel rooms in {away} on {site}, {choice} room, {said}",
    ),
    "restaurants": (
        "{title}, menu, {thing} in {town}", "{site} restaurant list for {town}: {thing}",
        "{title}, {thing}, seating plan with {choice}", "Opening hours of {title}, {thing}",
        "{site} restaurant page of {title}, {choice} tables",
    ),
}

ACTS: dict[Domain, tuple[str, ...]] = {
    "groceries": (
        "{thing}, {choice}, and {n} more groceries, delivered to {place}",
        "Grocery order from {site}: {thing} ({choice}), {other}; home delivery to {place}",
        "{n} x {thing}, {choice}, {price}, grocery shop order delivered to {place}",
        "Weekly grocery shop at {site}: {thing}, {choice}, {other}",
        "{named}, {choice}, home delivery {place}",
        "Reordered {thing}, {choice}, from the last grocery order at {site}",
        "{thing} {choice} and {other}, online grocery shop {site}, to the door in {place}",
    ),
    "apparel": (
        "{thing}, {choice}, {price}, clothes order from {site}", "{named} in {choice}, delivered to {place}",
        "Replacement for worn-out {thing}, {choice}, clothes shop {site}",
        "{named}, {choice}; kept, the other one sent back", "Clothes order at {site}: {thing} in {choice}, {other}",
        "{thing}, {choice}, sent to home address {place}",
    ),
    "hotels": (
        "Hotel booking on {site}: {title}, {choice} room, {said}, {n} nights in {away}",
        "{choice} room at hotel {title}, {said}, {n} nights from {date}",
        "{n} nights in {away}, hotel {title}, {choice} room, {said}, booked on {site}",
        "Hotel {title} for the {date} trip, {choice} room, {said}",
        "{away} trip: hotel room type {choice}, {said}, {title}, {price} a night",
    ),
    "restaurants": (
        "Table for {n} at {title}, {thing}, {choice} seating, {town}, {clock}",
        "Restaurant reservation on {site}: {title} in {town}, {thing}, {choice}",
        "{title}, {thing} in {town}, {choice} table, {clock}, {n} people",
        "Dinner table booked through {site}: {thing}, {choice} seats, {title}",
        "Table booking, {thing} {title}, {choice}, {town}, party of {n}",
    ),
}

REVIEWS: dict[Domain, tuple[str, ...]] = {
    "groceries": (
        "{stars}/5 for {thing}: {remark}", "{named}, {choice}, {stars} stars: {remark}",
        "Grocery delivery by {site}, {stars}/5: {thing} {remark}",
    ),
    "apparel": (
        "{stars}/5 for {thing} in {choice}: {remark}", "{named}, {stars} stars: {remark}",
        "{thing}, {choice}, {stars} stars on {site}: {remark}",
    ),
    "hotels": (
        "Hotel {title}, {stars}/5: {said}, {remark}",
        "{stars} stars for hotel {title} in {away}: {choice} room, {remark}",
        "Stay at hotel {title}, {choice} room, {said}: {stars}/5, {remark}",
    ),
    "restaurants": (
        "{title}, {stars}/5: {thing}, {remark}", "{stars} stars for {title}, {thing}, {choice} seat: {remark}",
        "Evening at {title} in {town}, {choice} table, {thing}: {stars}/5, {remark}",
    ),
}

GIFTS: dict[Domain, tuple[str, ...]] = {
    "groceries": (
        "{thing}, {choice}, hamper for {friend}, sent to {elsewhere}",
        "Get-well groceries for {friend}: {thing} ({choice}), to {elsewhere}",
    ),
    "apparel": (
        "{thing}, {choice}, gift wrapped for {friend}, sent to {elsewhere}",
        "Birthday present for {friend}: {named}, {choice}, gift receipt",
    ),
    "hotels": ("Hotel nights as a wedding present for {friend}: {title}, {choice} room, {said}",),
    "restaurants": ("Birthday table for {friend} in {elsewhere}: {title}, {thing}, {choice}, {n} people",),
}

ONE_OFFS: dict[Domain, tuple[str, ...]] = {
    "groceries": ("{thing}, {choice}, for the school fair", "{thing}, {choice}, to try a recipe for guests"),
    "apparel": ("{thing}, {choice}, for a fancy dress party", "Second-hand {thing}, {choice}, to paint the fence in"),
    "hotels": ("Hotel {title}, {choice} room, {said}, the only one left for the fair in {away}",),
    "restaurants": ("Table at {title}, {thing}, {choice}, picked by colleagues",),
}

REMARKS: dict[Domain, tuple[str, ...]] = {
    "groceries": (
        "arrived cold and on time", "tastes fresh, lid closes well", "good value, a little pricier than last month",
        "one corner dented, fine inside", "gone within days", "does what it says",
    ),
    "apparel": (
        "washes well", "seams hold after many wears", "colour like in the photos",
        "sleeves a touch long, otherwise good",
        "came in a plain box", "comfortable on the train",
    ),
    "hotels": (
        "check-in took five minutes", "good beds", "street noise on one night", "kind people at the desk",
        "would come back", "lift was out of order",
    ),
    "restaurants": (
        "service quick and kind", "portions on the generous side", "a bit loud after nine", "dessert worth the walk",
        "waited ten minutes for the bill", "came back with friends",
    ),
}

NOISE: tuple[str, ...] = (
    "weather in {away} this weekend", "train times to {away}", "how to {chore}", "{film} film showtimes",
    "{film} review", "{sport} results", "{sport} fixtures {month}", "{dish} recipe", "{dish} for {n} people",
    "best time to plant {plant}", "{plant} care indoors", "podcast about {subject}", "{subject} explained",
    "online course {subject}", "convert {n}0 miles to kilometres", "public holidays {month}", "how old is the moon",
    "meaning of {subject}", "{chore} video", "news about {subject}", "second-hand {gadget}", "{gadget} manual",
    "{gadget} not charging", "flights to {away} in {month}", "things to see in {away}",
)
"""Searches of everyday life, which tell nothing that a task asks for."""

LOCAL: tuple[str, ...] = (
    "dentist near {place}", "bin collection days {place}", "post office opening times {place}",
    "parking permit for residents, {place}", "library card {place}", "plumber near home, {place}",
)
"""Searches that only someone who lives in a town makes."""

FILLERS: dict[str, tuple[str, ...]] = {
    "chore": (
        "bleed a radiator", "fix a dripping tap", "descale a kettle", "fold a fitted sheet", "sharpen a kitchen knife",
        "patch a bicycle tube", "remove candle wax", "back up a phone", "write a cover letter", "tie a bowline",
    ),
    "film": ("The Long Ferry", "Night Bus", "Paper Lions", "Aurora Station", "Two Left Shoes", "The Beekeeper's Son"),
    "sport": ("cycling", "handball", "marathon", "table tennis", "rowing", "curling", "snooker"),
    "dish": ("pumpkin soup", "mushroom pie", "lentil stew", "apple crumble", "shakshuka", "fish cakes", "pancakes"),
    "plant": ("tomatoes", "lavender", "basil", "dahlias", "garlic", "ferns", "strawberries"),
    "subject": (
        "Roman roads", "sleep", "compound interest", "volcanoes", "first aid", "watercolour", "beginner Spanish",
        "chess openings", "tax returns", "black holes", "bird song",
    ),
    "gadget": ("headphones", "e-reader", "bicycle light", "printer", "kettle", "camera lens", "router"),
    "month": ("January", "April", "June", "September", "November", "December"),
}

MOVING: tuple[tuple[str, str], ...] = (
    ("web search", "removal van {old} to {place}"),
    ("web search", "change of address form post redirection {old} to {place}"),
    ("web visit", "Council tax registration for new residents, {place}"),
    ("web search", "broadband at new home {place}"),
    ("web search", "cheap moving boxes {place}"),
)
"""What a person searches for in the weeks around a move."""
