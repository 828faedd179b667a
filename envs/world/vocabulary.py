"""The pools a world is drawn from: things, values, brands, names, places. Each is larger than one world takes."""

from __future__ import annotations

from typing import NamedTuple


class Goods(NamedTuple):
    """A kind of thing: the values it comes in, and what the buyer chooses."""

    kinds: tuple[str, ...]
    """Groceries: varieties; apparel: fits."""
    sizes: tuple[str, ...]
    price: float
    """A middling price."""
    materials: tuple[str, ...] = ()


_LIQUID = ("500 ml", "1 litre", "2 litre", "4 litre")
_DRY = ("250 g", "500 g", "1 kg", "2 kg")
_CLOTHES = ("extra small", "small", "medium", "large", "extra large", "double extra large")
_SHOES = ("eu 37", "eu 38", "eu 39", "eu 40", "eu 41", "eu 42", "eu 43", "eu 44", "eu 45", "eu 46")
_WAISTS = ("waist 28", "waist 30", "waist 31", "waist 32", "waist 33", "waist 34", "waist 36", "waist 38")

GROCERIES: dict[str, Goods] = {
    "milk": Goods(("whole", "semi-skimmed", "oat", "soya", "almond", "lactose-free", "goat"), _LIQUID, 1.6),
    "coffee": Goods(
        ("dark roast", "light roast", "decaf", "espresso", "instant", "hazelnut", "filter"),
        ("100 g", "250 g", "500 g", "1 kg"), 5.4,
    ),
    "bread": Goods(
        ("sourdough", "wholemeal", "rye", "white", "seeded", "spelt", "gluten-free"),
        ("200 g", "400 g", "600 g", "800 g"), 2.3,
    ),
    "yoghurt": Goods(
        ("greek", "strawberry", "vanilla", "plain", "coconut", "skyr", "blueberry"),
        ("125 g", "250 g", "500 g", "1 kg"), 2.1,
    ),
    "tea": Goods(
        ("green", "earl grey", "chamomile", "peppermint", "rooibos", "english breakfast", "ginger"),
        ("20 bags", "40 bags", "80 bags", "160 bags"), 3.2,
    ),
    "pasta": Goods(("penne", "spaghetti", "fusilli", "lasagne", "linguine", "farfalle", "rigatoni"), _DRY, 1.7),
    "cereal": Goods(
        ("muesli", "granola", "cornflakes", "bran flakes", "chocolate hoops", "puffed rice", "porridge"),
        ("300 g", "500 g", "750 g", "1 kg"), 3.1,
    ),
    "juice": Goods(("orange", "apple", "mango", "cranberry", "grapefruit", "pineapple", "carrot"), _LIQUID, 2.4),
    "crisps": Goods(
        ("salted", "paprika", "cheese and onion", "sour cream", "chilli", "rosemary", "vinegar"),
        ("40 g", "100 g", "150 g", "300 g"), 1.8,
    ),
    "cheese": Goods(
        ("cheddar", "gouda", "brie", "feta", "mozzarella", "parmesan", "goat's"),
        ("150 g", "250 g", "400 g", "1 kg"), 3.9,
    ),
    "rice": Goods(("basmati", "jasmine", "brown", "risotto", "wild", "sushi", "long grain"), _DRY, 2.6),
    "chocolate": Goods(
        ("dark", "milky", "nougat", "sea salt", "orange peel", "marzipan", "caramel"),
        ("50 g", "100 g", "200 g", "400 g"), 2.2,
    ),
}
LABELS = (
    "organic", "fair trade", "locally made", "low sugar", "plastic-free", "additive-free", "carbon neutral",
    "small batch",
)

_FITS = ("slim", "regular", "relaxed", "tailored", "oversized")
APPAREL: dict[str, Goods] = {
    "jeans": Goods(("slim", "straight", "relaxed", "tapered", "bootcut"), _WAISTS, 62, ("denim", "stretch denim",
                   "hemp", "recycled cotton")),
    "shirt": Goods(_FITS, _CLOTHES, 38, ("cotton", "linen", "flannel", "poplin")),
    "running shoes": Goods(("neutral", "stability", "trail", "racing", "wide"), _SHOES, 104, ("mesh", "knit",
                           "waterproof fabric", "recycled polyester")),
    "jacket": Goods(_FITS, _CLOTHES, 118, ("wool", "waxed cotton", "softshell", "down")),
    "jumper": Goods(_FITS, _CLOTHES, 54, ("merino", "lambswool", "cashmere", "cotton")),
    "t-shirt": Goods(_FITS, _CLOTHES, 19, ("cotton", "bamboo", "linen", "jersey")),
    "chinos": Goods(("slim", "straight", "relaxed", "tapered", "cropped"), _WAISTS, 49, ("cotton", "twill", "linen",
                    "corduroy")),
    "hoodie": Goods(_FITS, _CLOTHES, 46, ("fleece", "cotton", "french terry", "recycled polyester")),
    "boots": Goods(("ankle", "chelsea", "hiking", "lace-up", "knee-high"), _SHOES, 126, ("leather", "suede",
                   "vegan leather", "waterproof fabric")),
    "pyjamas": Goods(("slim", "regular", "relaxed", "short", "oversized"), _CLOTHES, 34, ("cotton", "satin",
                     "flannel", "bamboo")),
}
COLOURS = ("navy", "black", "olive", "burgundy", "grey", "cream", "teal", "rust", "lilac", "mustard", "charcoal")

CITIES = (
    "lisbon", "vienna", "porto", "ghent", "krakow", "seville", "bergen", "turin", "lucerne", "aarhus", "girona",
    "tallinn", "salzburg", "bordeaux", "valencia", "heidelberg", "verona", "galway",
)
BOARDS = ("room only", "breakfast included", "half board", "full board", "all inclusive", "self catering")
FACILITIES = (
    "gym", "pool", "sauna", "parking", "pet friendly", "quiet floor", "airport shuttle", "bike hire", "rooftop bar",
    "kids club", "coworking lounge", "step-free access",
)
ROOMS = ("single", "twin", "double", "family", "suite")

CUISINES = (
    "italian", "thai", "japanese", "indian", "mexican", "lebanese", "greek", "korean", "ethiopian", "peruvian",
    "vietnamese", "turkish",
)
DIETS = (
    "vegan options", "vegetarian menu", "halal", "gluten-free options", "kosher", "dairy-free options",
    "nut-free kitchen", "low salt options",
)
PRICE_BANDS = ("budget", "mid-range", "upscale")
PARTIES = ("1 person", "2 people", "3 people", "4 people", "5 people", "6 people", "8 people")
TIMES = ("17:30", "18:00", "18:30", "19:00", "19:30", "20:00", "20:30", "21:00", "21:30")
SEATING = ("terrace", "window", "counter", "booth", "garden", "quiet corner", "fireside")

TOWNS = (
    "Millbrook", "Ashcombe", "Harrowgate", "Penwick", "Larkfield", "Stonebury", "Elmsworth", "Redcliff", "Oakhampton",
    "Thornley", "Wexcombe", "Brackley", "Fernside", "Marlow Heath", "Castlebridge", "Dunmere", "Hollowdale",
    "Kestrel Bay", "Northwold", "Saltmarsh",
)

BRANDS: dict[str, tuple[str, ...]] = {
    "groceries": (
        "alder creek", "hollis farm", "bramble lane", "sunny acre", "meadowgold", "foxglove", "harvest moon",
        "old mill", "pebble bay", "wren and daughters", "two rivers", "copper kettle", "kindling", "morningside",
        "clover hill", "juniper house", "lantern foods", "saltwick", "tumbledown", "orchard row", "bluebell",
        "northcote", "pip and stone", "hearthside",
    ),
    "apparel": (
        "norrvik", "halden", "fable and thread", "corvus", "tidewater", "marrow", "lindqvist", "ironbark", "pace lab",
        "sable", "drift", "kestrel", "larch", "monarch mills", "quill", "rowan", "stride", "tern", "umber", "vale",
        "wilder", "yonder", "zephyr", "attica",
    ),
    "hotels": (
        "larkspur", "meridian house", "bellweather", "casa nova", "the anchorage", "grandview", "hummingbird",
        "ivory gate", "juniper stay", "kings row", "lumen", "maison claire", "northlight", "octavia", "palisade",
        "quayside", "rosewater", "stellaris",
    ),
}

GROCERY_EPITHETS = ("everyday", "farmhouse", "classic", "signature", "country", "heritage", "weekend", "simple",
                    "golden", "finest", "village", "original")
MODELS = (
    "Harbour", "Dune", "Falcon", "Juniper", "Atlas", "Cobalt", "Ember", "Fjord", "Grove", "Halcyon", "Indigo",
    "Jasper", "Keel", "Lumen", "Mesa", "Nimbus", "Onyx", "Prairie", "Quarry", "Ridge", "Summit", "Tundra", "Vesper",
    "Willow", "Zenith", "Brook", "Canyon", "Delta", "Echo", "Flint",
)
HOTEL_EPITHETS = (
    "Riverside", "Old Town", "Central", "Garden", "Station", "Cathedral Square", "Park", "Harbour", "Hillside",
    "Market Hall", "Opera", "Lakeview", "Museum Quarter", "Bridge", "Terrace", "Royal",
)
RESTAURANT_FIRST = (
    "Copper", "Blue", "Little", "Golden", "Salt", "Wild", "Velvet", "Hidden", "Red", "Silver", "Lazy", "Crooked",
    "Smoky", "Amber", "Bitter", "Gentle", "Hungry", "Ivory", "Jolly", "Lucky", "Merry", "Noble", "Paper", "Quiet",
)
RESTAURANT_LAST = (
    "Fig", "Lantern", "Olive", "Pepper", "Spoon", "Anchor", "Fennel", "Heron", "Kettle", "Lemon", "Magpie", "Nutmeg",
    "Orchard", "Plum", "Quince", "Rooster", "Sparrow", "Thistle", "Table", "Walnut", "Saffron", "Ginger", "Cellar",
    "Larder",
)

SITE_NAMES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "groceries": (
        ("Green", "Daily", "Corner", "Harvest", "Acre", "Basil", "Parsley", "Sprout", "Turnip", "Plum", "Barley",
         "Clover", "Fennel", "Hazel", "Kale", "Marrow", "Nettle", "Pippin", "Radish", "Thyme"),
        ("Larder", "Pantry", "Grocer", "Market", "Crate", "Provisions", "Stores", "Barrow", "Hamper", "Stall"),
    ),
    "apparel": (
        ("Thread", "Loom", "Weft", "Stitch", "Bobbin", "Selvedge", "Thimble", "Hem", "Velour", "Button", "Tweed",
         "Collar", "Cuff", "Gusset", "Lapel", "Needle", "Pleat", "Ribbon", "Seam", "Twill"),
        ("house", "row", "wardrobe", "gallery", "works", "lane", "parlour", "yard", "loft", "arcade"),
    ),
    "hotels": (
        ("Nest", "Stay", "Pillow", "Sojourn", "Suitcase", "Wander", "Keycard", "Lodge", "Porter", "Harbour",
         "Concierge", "Duvet", "Foyer", "Hearth", "Inn", "Journey", "Passport", "Quilt", "Roam", "Voyage"),
        ("finder", "compass", "atlas", "haven", "desk", "trail", "ledger", "map", "bell", "gate"),
    ),
    "restaurants": (
        ("Table", "Fork", "Plate", "Bistro", "Napkin", "Dinner", "Spoon", "Menu", "Supper", "Ladle", "Apron", "Brunch",
         "Carafe", "Chef", "Entree", "Goblet", "Palate", "Saucer", "Skillet", "Tasting"),
        ("call", "scout", "book", "hour", "club", "bell", "post", "guide", "circle", "seat"),
    ),
}
START_NAMES = (
    "Findery", "Seekwell", "Lookabout", "Compendia", "Trovelight", "Waymark", "Askabout", "Inkwell", "Signpost",
    "Gazetteer", "Questlight", "Beaconry", "Allpages", "Hereabouts", "Spyglass", "Pathway",
)

DESCRIPTIONS: dict[str, tuple[str, ...]] = {
    "groceries": (
        "A {product} for every day, made by {brand}.",
        "{brand} has made this {product} the same way for years.",
        "Keeps well and goes quickly: a household favourite from {brand}.",
        "Carefully packed {product} from {brand}.",
    ),
    "apparel": (
        "Comfortable from the first day, and easy to care for.",
        "Cut and sewn by {brand} to last for years.",
        "A wardrobe staple by {brand} that goes with everything.",
        "Designed by {brand} with clean lines and sturdy seams.",
    ),
    "hotels": (
        "A friendly place to stay in {city}, a short walk from the sights.",
        "Calm rooms and an easy check-in in the middle of {city}.",
        "A well-kept house with a helpful front desk in {city}.",
        "Good beds and a good base for a few days in {city}.",
    ),
    "restaurants": (
        "A neighbourhood dining room in {city} with a short menu that changes often.",
        "Locals of {city} come here for a long evening among friends.",
        "A lively open kitchen and unhurried service in {city}.",
        "Family-run for two generations, in a quiet street of {city}.",
    ),
}
