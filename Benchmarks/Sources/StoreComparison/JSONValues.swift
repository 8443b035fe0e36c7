internal import MachineLimits

/// Values as programs store them, some hundred bytes of JSON each: users, events, entries of a catalogue, mixed evenly.
///
/// All follow from the seed. What tells one record from the next is as random as it would be in life: identifiers,
/// tokens, times, amounts. The names of fields, of cities and of kinds are few, and some are more common than others.
package struct JSONValues {
  /// What a value may take.
  package static let byteCounts = 150...600

  private var random: SplitMix64
  private var count = 0

  package init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  /// The next value.
  package mutating func next() -> [UInt8] {
    count += 1
    var json = JSONText(random: random)
    json.write(number: count)
    random = json.random
    return Array(json.text.utf8)
  }
}

/// A text of JSON that is being written, and the chances by which it is.
private struct JSONText {
  var text = ""
  var random: SplitMix64

  init(random: SplitMix64) {
    self.random = random
  }

  mutating func write(number count: Int) {
    // By chance and not in turns: whoever takes every third value as a sample is to see all of them.
    switch number(1...3) {
    case 1: user()
    case 2: event(number: count)
    default: entry()
    }
  }

  private mutating func user() {
    let (first, last) = (common(JSONWords.firstNames), common(JSONWords.lastNames))
    let (city, country, code) = common(JSONWords.cities)
    let address = "\(first.lowercased()).\(last.lowercased())\(number(1...99))@\(common(JSONWords.mailHosts))"
    text += #"{"id":"\#(identifier())","name":"\#(first) \#(last)","email":"\#(address)","#
    text += #""age":\#(number(18...90)),"role":"\#(common(JSONWords.roles))","active":\#(chance(85)),"#
    text += #""address":{"street":"\#(common(JSONWords.streets)) \#(number(1...240))","city":"\#(city)","#
    text += #""zip":"\#(code)\#(number(100...999))","country":"\#(country)"},"#
    text += #""tags":[\#(list(0...4, of: JSONWords.tags))],"balance":\#(amount(90_000)),"#
    text += #""createdAt":"\#(time())","lastLogin":\#(chance(90) ? "\"\(time())\"" : "null"),"#
    if chance(50) {
      text += #""phone":"+\#(number(1...99)) \#(number(100...999)) \#(number(1_000_000...9_999_999))","#
    }
    if chance(30) {
      text += #""company":{"name":"\#(common(JSONWords.companies))","size":\#(number(1...5000))},"#
    }
    text += #""newsletter":\#(chance(40))}"#
  }

  private mutating func event(number count: Int) {
    // Events come in the order of their time.
    let milliseconds = 1_735_689_600_000 + 137 * count + number(0...136)
    text += #"{"event":"\#(common(JSONWords.events))","timestamp":\#(milliseconds),"#
    text += #""session":"\#(hexadecimal(digitCount: 16))","userId":\#(number(1...2_000_000)),"#
    text += #""page":"/\#(common(JSONWords.categories).lowercased())/\#(number(1000...99_999))","#
    if chance(60) { device() }
    if chance(60) { text += #""experiments":[\#(list(0...4, of: JSONWords.experiments))],"# }
    text += #""ip":"10.\#(byte()).\#(byte()).\#(byte())","durationMs":\#(number(1...9000)),"#
    text += #""ok":\#(chance(97))}"#
  }

  private mutating func device() {
    text +=
      #""device":{"os":"\#(common(JSONWords.systems))","version":"\#(number(9...18)).\#(number(0...6))","#
    text += #""screen":"\#(common(JSONWords.screens))"},"#
  }

  private mutating func entry() {
    let category = common(JSONWords.categories)
    let sku = "\(category.prefix(2).uppercased())-\(number(10_000...99_999))"
    let title = "\(any(JSONWords.materials)) \(any(JSONWords.adjectives)) \(any(JSONWords.things))"
    text += #"{"sku":"\#(sku)","title":"\#(title)","category":["\#(category)","\#(any(JSONWords.shelves))"],"#
    text += #""price":{"amount":\#(amount(400)),"currency":"\#(common(JSONWords.currencies))"},"#
    text += #""size":{"width":\#(number(5...900)),"height":\#(number(5...900)),"unit":"mm"},"#
    text += #""rating":\#(number(1...4)).\#(number(0...9)),"reviews":\#(number(0...3000)),"variants":["#
    for place in 0..<number(0...6) {
      if place > 0 { text += "," }
      text += #"{"color":"\#(common(JSONWords.colors))","stock":\#(number(0...500)),"#
      text += #""code":"\#(hexadecimal(digitCount: 8))"}"#
    }
    text += #"],"updatedAt":"\#(time())"}"#
  }

  /// Any number of a range.
  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private mutating func byte() -> Int { number(0...255) }

  private mutating func chance(_ percentage: Int) -> Bool { number(1...100) <= percentage }

  /// Any of several things.
  private mutating func any<Element>(_ all: [Element]) -> Element { all[number(0...all.count - 1)] }

  /// One of several things, of which those in front are the more common ones.
  private mutating func common<Element>(_ all: [Element]) -> Element {
    all[min(number(0...all.count - 1), number(0...all.count - 1))]
  }

  private mutating func list(_ counts: ClosedRange<Int>, of words: [String]) -> String {
    (0..<number(counts)).map { _ in "\"\(common(words))\"" }.joined(separator: ",")
  }

  /// So much money at most, with cents.
  private mutating func amount(_ maximum: Int) -> String {
    "\(number(0...maximum)).\(padded(number(0...99), 2))"
  }

  private mutating func identifier() -> String {
    [8, 4, 4, 4, 12].map { hexadecimal(digitCount: $0) }.joined(separator: "-")
  }

  private mutating func hexadecimal(digitCount: Int) -> String {
    padded(Int(truncatingIfNeeded: random.next() >> (64 - 4 * UInt64(digitCount))), digitCount, radix: 16)
  }

  private mutating func time() -> String {
    let date = "\(number(2019...2025))-\(padded(number(1...12), 2))-\(padded(number(1...28), 2))"
    return "\(date)T\(padded(number(0...23), 2)):\(padded(number(0...59), 2)):\(padded(number(0...59), 2))Z"
  }
}

private func padded(_ number: Int, _ digitCount: Int, radix: Int = 10) -> String {
  let digits = String(UInt(bitPattern: number), radix: radix)
  return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
}
