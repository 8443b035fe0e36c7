/// Bytes that follow from a number, and that a general compressor makes short.
func pattern(_ number: Int, count: Int) -> [UInt8] {
  let words = Array("value \(number) of the file; ".utf8)
  return (0..<count).map { words[$0 % words.count] }
}

private let cities = ["Kharkiv", "Lviv", "Kyiv", "Odesa", "Dnipro", "Poltava", "Sumy"]

/// A number that follows from another one, and looks like any.
private func mixed(_ number: Int) -> UInt64 {
  var word = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
  word = (word ^ word >> 29) &* 0xBF58_476D_1CE4_E5B9
  return word ^ word >> 32
}

/// A small object of JSON, of which many are alike.
func user(_ number: Int) -> String {
  let word = mixed(number)
  return #"{"identifier":"\#(String(word, radix: 16))","customer":{"name":"customer \#(word % 977)","#
    + #""mail":"user\#(word % 977)@example.org","city":"\#(cities[Int(word % 7)])"},"amount":\#(word % 99_999),"#
    + #""currency":"EUR","createdAt":"2026-11-\#(10 + word % 20)T1\#(word % 10):22:07Z","isPaid":\#(word % 2 == 0)}"#
}

/// A small element of another make.
func item(_ number: Int) -> String {
  let word = mixed(number + 1_000_000)
  return "<item number=\"\(word % 100_000)\"><price currency=\"EUR\">\(word % 89).50</price><stock place=\""
    + "\(cities[Int(word % 7)])\">\(word % 1000)</stock><weight unit=\"g\">\(word % 5000)</weight></item>"
}

/// Lines of a KiB that differ in some of their bytes alone.
func lines(count: Int) -> [UInt8] {
  (0..<count).flatMap { line in
    let words = "\(String(mixed(line), radix: 16)) \(String(mixed(line + 2_000_000), radix: 16)) "
    return Array(words.utf8) + pattern(0, count: 1024 - words.utf8.count)
  }
}
