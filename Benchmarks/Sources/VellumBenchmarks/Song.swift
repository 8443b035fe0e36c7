internal import MachineLimits
internal import Vellum

/// An archive of about 200 bytes, as a program has it.
struct Song: ArchiveCodable, Equatable, Sendable {
  var primaryKey: String { key }
  var key: String
  var title: String
  var artist: String
  var rating: Int
  var note: String

  init(_ number: Int) {
    var random = SplitMix64(seed: UInt64(number))
    key = "song-\(number)"
    title = "The song with the number \(number)"
    artist = "Artist \(random.next() % 997)"
    rating = Int(random.next() % 1_000)
    note = (0..<4).map { _ in String(random.next(), radix: 16) }.joined(separator: " ")
  }
}
