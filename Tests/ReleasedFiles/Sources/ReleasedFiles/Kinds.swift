import Sediment
import SedimentTesting

/// The kinds of files, by the names under which they are kept.
let kinds: [(name: String, make: @Sendable () throws -> ReleasedFile)] = [
  ("plain", plain), ("emptied", emptied), ("collections", collections), ("expiring", expiring),
  ("evicting", evicting), ("full", full), ("large", large), ("scattered", scattered),
  ("dictionary", dictionary), ("window", window), ("window-killed", windowKilled),
  ("power-lost", powerLost), ("batch-cut", batchCut), ("stored-index", storedIndex),
  ("stored-index-killed", storedIndexKilled), ("backup", backup),
]

// MARK: What it holds

/// Closed, without a window: keys and values of odd lengths, replaced and removed ones, batches, collections.
func plain() throws -> ReleasedFile {
  let life = try Life(access: .unmapped)
  try life.set([], "")
  try life.set([0, 255], [255, 0])
  try life.set(pattern(1, count: 70_000), [UInt8](repeating: 107, count: 60_000))
  for number in 0..<200 {
    try life.set("value \(number)", "key \(number)")
    if number % 3 == 0 { try life.set("other \(number)", "key \(number)") }
    if number % 7 == 0 { try life.remove("key \(number)") }
  }
  try life.batch((0..<20).map { ("b\($0)", "batched \($0)", $0 % 2 == 0 ? "" : "users") })
  try life.set("Ada", "name", in: "users")
  try life.sync()
  try life.close()
  return life.file
}

/// Closed: everything was removed by one record, and a little was set after it.
func emptied() throws -> ReleasedFile {
  let life = try Life()
  for number in 0..<100 {
    try life.set(pattern(number, count: 500), "\(number)", in: number % 2 == 0 ? "" : "odd")
  }
  try life.clearEverything()
  try life.set("here", "after")
  try life.close()
  return life.file
}

/// Closed: 300 collections, some of them cleared, dropped, made again, or without a key.
func collections() throws -> ReleasedFile {
  let life = try Life()
  for number in 0..<300 {
    for key in 0..<(number % 4) { try life.set("\(number).\(key)", "key \(key)", in: "collection \(number)") }
    if number % 4 == 0 { try life.set("gone", "key", in: "collection \(number)") }
  }
  for number in 0..<300 where number % 4 == 0 { try life.clear("collection \(number)") }
  for number in 0..<300 where number % 10 == 3 { try life.drop("collection \(number)") }
  try life.set("again", "key", in: "collection 13")
  try life.set("\u{1F30D}", "key", in: "\u{10D}esk\u{FD}")
  try life.close()
  return life.file
}

/// Closed: values of all classes of lifetimes, large ones among them; some have expired, and some were compacted.
func expiring() throws -> ReleasedFile {
  let life = try Life()
  let start = life.disk.wallClock()
  let lifetimes: [UInt64] = [30, 3000, 7200, 80_000, 864_000, 8_640_000, 86_400_000]
  for number in 0..<210 {
    let expiry = number % 8 == 7 ? 0 : start + lifetimes[number % 8] * 1000 + UInt64(number)
    let count = number % 70 == 3 ? 150_000 : 300
    try life.set(pattern(number, count: count), "\(number)", expiry: expiry)
  }
  try life.sync()
  life.disk.advanceClocks(by: .seconds(60))
  life.background.advance(by: .seconds(60))
  for number in stride(from: 0, to: 210, by: 5) { try life.set("anew \(number)", "\(number)") }
  try life.store.compact()
  try life.close()
  return life.file
}

/// Closed: a full cache, of which much was evicted.
func evicting() throws -> ReleasedFile {
  let life = try Life(capacity: .evicting(maxBytes: 1 << 20))
  for number in 0..<3000 {
    try life.set(pattern(number, count: 1000), "\(number % 2000)")
    if number % 10 == 0 { _ = try life.store.retrieve(forKey: "7") }
    life.background.run()
  }
  try life.noteEvicted()
  try life.close()
  return life.file
}

/// Killed: a limited store that refused the last change.
func full() throws -> ReleasedFile {
  let life = try Life(capacity: .limited(maxBytes: 1 << 20))
  var number = 0
  do {
    while number < 1000 {
      try life.set(pattern(number, count: 5000), "\(number)")
      number += 1
    }
  } catch let error as SedimentError {
    precondition(error.code == .outOfSpace, "\(error)")
  }
  precondition((100..<1000).contains(number), "the store is not full")
  return life.file
}

/// Closed: values in extents, as they are and compressed in pieces, beside some that became short.
func large() throws -> ReleasedFile {
  let life = try Life(compression: .zstd(level: 3))
  try life.set(pattern(1, count: 9 << 20), "short when compressed")
  try life.set(lines(count: 6000), "compressed in pieces")
  try life.close()
  try life.reopen(compression: .off)
  try life.set(pattern(2, count: 131_073), "replaced")
  try life.set(pattern(3, count: 1_200_000), "replaced")
  try life.set((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7 ^ $0) }, "squares")
  try life.set("small", "small")
  try life.close()
  return life.file
}

/// Closed: a large value in many runs of slots, since a full store had no long one.
func scattered() throws -> ReleasedFile {
  let life = try Life(capacity: .limited(maxBytes: 4 << 20))
  for number in 0..<16 { try life.set(pattern(number, count: 150_000), "\(number)") }
  for number in stride(from: 0, to: 16, by: 2) { try life.remove("\(number)") }
  try life.sync()
  life.background.run()
  try life.set(pattern(99, count: 1_100_000), "scattered")
  try life.close()
  return life.file
}

/// Closed: values that dictionaries made short, in two collections.
func dictionary() throws -> ReleasedFile {
  let life = try Life(compression: .automatic)
  func set(_ round: Int) throws {
    for number in 0..<600 {
      try life.set(user(number + 600 * round), "\(number)")
      try life.set(item(number + 600 * round), "\(number)", in: "items")
    }
    life.disk.advanceClocks(by: .seconds(2))
    life.background.advance(by: .seconds(2))
  }
  var round = 0
  while life.store.statistics.dictionaryCount < 2, round < 40 {
    try set(round)
    round += 1
  }
  precondition(life.store.statistics.dictionaryCount >= 2, "too few dictionaries were trained")
  try set(round)
  try life.store.compact()
  try life.close()
  return life.file
}
