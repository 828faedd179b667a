"""How sites look and speak: palettes and the pools of words from which two rivals draw different ones."""

from __future__ import annotations

import random

from .model import Domain

PALETTES: tuple[tuple[str, str, str, str], ...] = (
    # accent, its dark shade, page ground, tinted surface
    ("#2f6f4e", "#1d4a33", "#f6f8f4", "#e6efe6"),
    ("#b3472f", "#7d2d1c", "#fbf6f2", "#f5e5dc"),
    ("#2b5f8f", "#1b3f61", "#f4f7fa", "#e1ebf4"),
    ("#6a4c93", "#463063", "#f8f6fb", "#ebe4f3"),
    ("#0f766e", "#0b4f4a", "#f3f9f8", "#dcefed"),
    ("#9a5b13", "#6b3e0a", "#fbf8f1", "#f4ead6"),
    ("#a23b62", "#6f2542", "#fcf6f8", "#f5e2ea"),
    ("#3d5a40", "#28402b", "#f7f7f1", "#e9ecdc"),
    ("#374f8c", "#243561", "#f5f6fb", "#e2e6f4"),
    ("#8a3324", "#5f2016", "#faf6f3", "#f1e1da"),
    ("#1f6f8b", "#134b5f", "#f3f8fa", "#dcecf2"),
    ("#56642b", "#3b451c", "#f8f9f2", "#ecf0da"),
    ("#7a3e7d", "#532855", "#faf6fb", "#f0e3f1"),
    ("#444c56", "#2b3138", "#f6f7f8", "#e5e8eb"),
)
FONTS = (
    '"Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif',
    'Georgia, "Noto Serif", "DejaVu Serif", serif',
    '"Trebuchet MS", "Fira Sans", "Liberation Sans", sans-serif',
    '"Helvetica Neue", Arial, "Liberation Sans", sans-serif',
    'Charter, "Bitstream Charter", "Liberation Serif", serif',
)
RADII = ("2px", "6px", "10px", "16px")

_COMMON: dict[str, tuple[str, ...]] = {
    "search_button": ("Search", "Find", "Go", "Look up", "Show results"),
    "filters": ("Filters", "Narrow down", "Refine", "Your choices", "Options"),
    "apply": ("Apply", "Update results", "Show matches", "Refresh list"),
    "clear": ("Clear all", "Reset", "Start over", "Remove filters"),
    "any": ("Any", "All", "No preference", "Everything"),
    "sort": ("Sort by", "Order by", "Arrange by", "Show first"),
    "sort_relevance": ("Best match", "Recommended", "Most relevant", "Our pick"),
    "sort_cheap": ("Price: low to high", "Cheapest first", "Lowest price"),
    "sort_dear": ("Price: high to low", "Most expensive first", "Highest price"),
    "sort_rating": ("Best rated", "Customer rating", "Top reviews"),
    "sort_name": ("Name A to Z", "Alphabetical", "By name"),
    "sort_button": ("Sort", "Rearrange", "Reorder"),
    "results": ("Results", "What we found", "Matches", "Your results"),
    "nothing": (
        "Nothing fits. Try fewer words or filters.", "No matches. Loosen a filter or search for something else.",
        "We found nothing like that. Try another word.",
    ),
    "next": ("Next page", "More", "Onward", "Next"),
    "previous": ("Previous page", "Back", "Earlier", "Previous"),
    "show_all": ("Show all", "All on one page", "View everything"),
    "details": ("Details", "At a glance", "About it", "Good to know"),
    "rating": ("Rating", "Reviews", "Guest score", "Stars"),
    "missing": ("Please choose", "Still to choose", "First pick", "You have not chosen yet"),
    "remove": ("Remove", "Take out", "Delete", "Discard"),
    "sign_in": ("Sign in", "Log in", "Your account", "Member login"),
    "out_of_stock": (
        "Sorry, this is out of stock.", "This one is out of stock right now.", "Out of stock: we could not take it.",
    ),
    "consent": (
        "We use cookies to keep this site running.", "This site sets cookies. Please agree to go on.",
        "Cookies help us to remember your choices.",
    ),
    "consent_accept": ("Accept", "Agree and continue", "OK, got it", "Allow cookies"),
    "refused": (
        "This cannot be done here. Nothing was paid and no account was used.",
        "We stopped here: the step is final and was not carried out.",
    ),
    "path_search": ("search", "find", "results", "browse", "list"),
    "path_item": ("item", "p", "view", "show", "detail"),
    "param_query": ("q", "query", "text", "s"),
    "param_sort": ("sort", "order", "by"),
    "param_page": ("page", "pg", "part"),
    "brand": ("Brand", "Maker", "Producer", "Made by"),
    "product": ("Product", "Category", "Department", "What"),
    "stars": ("Star category", "Class", "Hotel stars"),
    "price": ("Price", "Cost", "Our price"),
}

_DOMAIN: dict[Domain, dict[str, tuple[str, ...]]] = {
    "groceries": {
        "tagline": ("Fresh food to your door", "The weekly shop, made easy", "Groceries from people who care"),
        "search": ("Search groceries", "Find food and drink", "What do you need?", "Search the shelves"),
        "browse": ("Aisles", "Shop by shelf", "Our departments", "Browse the store"),
        "choose": ("Add to basket", "Put in trolley", "Add to cart", "I'll take it"),
        "chosen": ("Added.", "It is in there now.", "Got it."),
        "held": ("Basket", "Trolley", "Cart", "Shopping bag"),
        "held_empty": ("It is empty so far.", "Nothing in it yet."),
        "finish": ("Place order", "Check out and pay", "Order now"),
        "location": ("Deliver to", "Delivery town or postcode", "Where shall we bring it?"),
        "location_button": ("Set address", "Deliver here", "Save place"),
        "location_unknown": (
            "We do not know that town or postcode", "We do not deliver there", "No such delivery area",
        ),
        "location_now": ("Delivering to", "Delivery address:", "We bring it to"),
        "path_held": ("basket", "trolley", "cart", "bag"),
        "variety": ("Type", "Kind", "Which one", "Style"),
        "label": ("Good for you", "Labels", "Promises", "Marks"),
        "size": ("Size", "Pack size", "Amount", "Quantity per pack"),
    },
    "apparel": {
        "tagline": ("Clothes that stay", "Well made, well worn", "Dress for the long run"),
        "search": ("Search clothes", "Find your style", "What are you looking for?", "Search the collection"),
        "browse": ("Collections", "Shop by garment", "The wardrobe", "Departments"),
        "choose": ("Add to bag", "Add to cart", "Put in bag", "Take this one"),
        "chosen": ("It is in your bag.", "Added.", "Saved for you."),
        "held": ("Bag", "Shopping cart", "Your picks", "Tote"),
        "held_empty": ("Nothing here yet.", "You have not picked anything yet."),
        "finish": ("Buy now", "Pay and order", "Complete purchase"),
        "path_held": ("bag", "cart", "picks", "tote"),
        "fit": ("Cut", "Shape", "Silhouette", "Wear"),
        "colour": ("Colour", "Shade", "Tone", "Hue"),
        "material": ("Fabric", "Made of", "Textile", "Cloth"),
        "size": ("Your size", "Size", "Choose a size", "Measure"),
    },
    "hotels": {
        "tagline": ("A good night anywhere", "Rooms worth the journey", "Sleep well, travel far"),
        "search": ("Search hotels", "Where are you going?", "City or hotel name", "Find a stay"),
        "browse": ("Destinations", "Popular cities", "Where to?", "Places to stay"),
        "choose": ("Reserve room", "Book this stay", "Select this hotel", "Hold this room"),
        "chosen": ("Your stay is set down.", "Held for you.", "Noted in your booking."),
        "held": ("Your booking", "My stay", "Trip draft", "Travel plan"),
        "held_empty": ("No stay chosen yet.", "There is no booking yet."),
        "finish": ("Confirm and pay", "Complete booking", "Pay now"),
        "path_held": ("booking", "stay", "trip", "plan"),
        "city": ("City", "Destination", "Where", "Town"),
        "board": ("Meals", "Board", "Food plan", "Catering"),
        "facility": ("Amenities", "The house offers", "On site", "Comforts"),
        "brand": ("Hotel group", "Chain", "Run by", "Family of hotels"),
        "room": ("Room", "Room type", "Bed set-up", "Kind of room"),
        "arrival": ("Arrival", "Check-in date", "First night", "Arriving on"),
    },
    "restaurants": {
        "tagline": ("Tonight's table, sorted", "Eat out, eat well", "Good food near you"),
        "search": ("Search restaurants", "Find a table", "What would you like to eat?", "Dish, name or kitchen"),
        "browse": ("Kitchens of the world", "By kitchen", "What are you in the mood for?", "Eat by taste"),
        "choose": ("Reserve a table", "Hold this table", "Request table", "Choose this place"),
        "chosen": ("Your table is set down.", "Held for you.", "Noted."),
        "held": ("Your reservation", "My table", "Dinner plan", "Table draft"),
        "held_empty": ("No table chosen yet.", "There is no reservation yet."),
        "finish": ("Confirm reservation", "Send and confirm", "Make it final"),
        "location": ("Where", "Town or postcode", "Near which place?"),
        "location_button": ("Look here", "Set town", "Use this place"),
        "location_unknown": ("We do not know that town or postcode", "No tables there", "That place is not on our map"),
        "location_now": ("Showing tables in", "Your town:", "Looking around"),
        "path_held": ("reservation", "table", "dinner", "draft"),
        "city": ("Place", "Town", "Area"),
        "cuisine": ("Kitchen", "Style of food", "Cooking", "Food"),
        "diet": ("Dietary needs", "Also caters for", "Special menus", "On request"),
        "price_band": ("Price level", "Budget", "Spending", "How fancy"),
        "party": ("Guests", "Party size", "How many?", "Seats for"),
        "time": ("Time", "Arrival time", "When", "Table at"),
        "seating": ("Seat", "Table type", "Where to sit", "Preferred spot"),
    },
}


def draw_words(rng: random.Random, domain: Domain) -> tuple[dict[str, str], dict[str, str]]:
    """Return the wording of two rivals: each key of the templates to words, different on the two sites."""
    pools = {**_COMMON, **_DOMAIN[domain]}
    first: dict[str, str] = {}
    second: dict[str, str] = {}
    for key in sorted(pools):
        first[key], second[key] = rng.sample(pools[key], 2)
    return first, second


def draw_themes(rng: random.Random, count: int) -> list[dict[str, str]]:
    """Return that many themes of CSS custom properties, no two of one palette."""
    return [
        {
            "accent": accent, "accent-dark": dark, "ground": ground, "tint": tint,
            "font": rng.choice(FONTS), "radius": rng.choice(RADII),
        }
        for accent, dark, ground, tint in rng.sample(PALETTES, count)
    ]
