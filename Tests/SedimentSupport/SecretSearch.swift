import Foundation

/// Looks for bytes that are not to be in a file.
package enum SecretSearch {
  /// How often a text is in some bytes, at any place.
  package static func count(of text: String, in bytes: [UInt8]) -> Int {
    let (data, wanted) = (Data(bytes), Data(text.utf8))
    var (count, start) = (0, 0)
    while let found = data.range(of: wanted, in: start..<data.count) {
      count += 1
      start = found.lowerBound + 1
    }
    return count
  }
}
