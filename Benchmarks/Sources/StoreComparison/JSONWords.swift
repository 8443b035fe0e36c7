/// What the fields of ``JSONValues`` are filled with, the more common words in front.
enum JSONWords {
  static let firstNames = words(
    """
    Olena Maria Anna James Sofia Ivan Andrii Emma Lukas Nina Peter Yulia Thomas Laura Oleksandr Julia David Kateryna \
    Michael Eva Daniel Iryna Paul Clara Dmytro Sarah Jan Hanna Mark Lina Viktor Alice Robert Daria Felix Nadia Simon \
    Tetiana Jonas Ingrid Bohdan Grace Taras Mila Oscar Zoe Roman Elif Hugo Amara
    """)

  static let lastNames = words(
    """
    Kovalenko Smith Shevchenko Bondarenko Nowak Johnson Weber Tkachenko Martin Garcia Kravchenko Fischer Brown \
    Boyko Rossi Jansen Melnyk Silva Becker Lysenko Walker Novak Polishchuk Larsen Dubois Marchenko Hughes Schulz \
    Savchenko Moreau Hansen Rudenko Clark Costa Petrenko Lindgren Keller Moroz Evans Ricci Klymenko Baker Horvat \
    Wolff Panchenko Murphy Berg Hrytsenko Santos Okafor
    """)

  static let cities = [
    (city: "Kyiv", country: "UA", code: "01"), ("Kharkiv", "UA", "61"), ("Berlin", "DE", "10"),
    ("Lviv", "UA", "79"), ("Paris", "FR", "75"), ("Warsaw", "PL", "00"), ("London", "GB", "20"),
    ("Odesa", "UA", "65"), ("Madrid", "ES", "28"), ("Vienna", "AT", "11"), ("Dnipro", "UA", "49"),
    ("Hamburg", "DE", "22"), ("Lisbon", "PT", "13"), ("Toronto", "CA", "54"), ("Prague", "CZ", "14"),
    ("Poltava", "UA", "36"), ("Milan", "IT", "20"), ("Oslo", "NO", "05"), ("Boston", "US", "02"),
    ("Seattle", "US", "98"), ("Chernivtsi", "UA", "58"), ("Helsinki", "FI", "00"), ("Ghent", "BE", "90"),
    ("Austin", "US", "73"),
  ]

  static let streets = words(
    """
    Main~Street Shevchenka~Street Station~Road Park~Avenue Sumska~Street High~Street Mill~Lane Church~Street \
    Lindenallee Rue~Victor~Hugo Oak~Drive Bahnhofstrasse River~Road Nauky~Avenue Garden~Street Via~Roma Hill~Road \
    Market~Square Soborna~Street Elm~Street School~Lane Museum~Lane King~Street Calle~Mayor
    """)

  static let mailHosts = words("example.com mail.example.org post.example.net example.ua web.example.io")
  static let companies = words(
    "Dnipro~Systems Northwind Acme Vela~Labs Halyna~Foods Contoso Brightline Kyiv~Cargo Oakridge Initech Sunrise~Media"
  )
  static let roles = words("member editor moderator admin guest owner")
  static let tags = words(
    "beta premium mobile trial verified early-adopter partner student vip press legacy internal")

  static let events = words(
    "page_view click add_to_cart search purchase login sign_up share remove_from_cart logout video_play refund"
  )
  static let systems = words("Android iOS Windows macOS Linux iPadOS")
  static let screens = words("390x844 1920x1080 412x915 1440x900 360x800 2560x1440 768x1024 1366x768")
  static let experiments = words(
    "checkout-v2 dark-header search-ranking-b free-shipping new-onboarding short-form price-badge sticky-cart"
  )

  static let categories = words(
    "Home Garden Kitchen Clothing Electronics Toys Books Sports Office Beauty Music Tools Pets Outdoor")
  static let shelves = words(
    "Lighting Storage New Sale Seasonal Classic Handmade Basics Children Travel Professional Refurbished")
  static let materials = words(
    "Oak Steel Cotton Glass Leather Bamboo Ceramic Linen Copper Plastic Wool Marble Paper Aluminium Walnut Rubber"
  )
  static let adjectives = words(
    "Folding Compact Large Round Portable Vintage Light Heavy Quiet Modern Small Double Soft Wide Slim Warm")
  static let things = words(
    """
    Lamp Chair Table Kettle Jacket Speaker Puzzle Notebook Bottle Backpack Mirror Shelf Blanket Knife Clock Basket \
    Tent Pillow Helmet Keyboard Vase Ladder Drill Bowl
    """)
  static let colors = words("black white blue grey red green beige brown yellow orange")
  static let currencies = words("EUR UAH USD GBP PLN")

  /// The words of a text; `~` stands for a space within one.
  private static func words(_ text: String) -> [String] {
    text.split(separator: " ").map { String($0.map { $0 == "~" ? " " : $0 }) }
  }
}
