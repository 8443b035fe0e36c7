import CrashModel
import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// Stores that nobody uses: they come to rest, with everything done.
struct StoreRestTests {
  /// Names of 255 bytes, so that a checkpoint of some thousand collections takes more than a MiB.
  private static func name(_ number: Int) -> String {
    "\(number)".padded(to: 255)
  }

  @Test(arguments: [false, true])
  func `A store of many collections comes to rest`(isReopened: Bool) throws {
    let fixture = try StoreFixture(durability: .interval(.seconds(1)), isObserved: true)
    for number in 0..<6_000 {
      let collection = try fixture.store.collection(Self.name(number))
      try collection.set("value", forKey: "key")
    }
    if isReopened { try fixture.reopen() }
    try fixture.store.expectRest(on: fixture.disk, fixture.scheduler)
    #expect(fixture.store.accountFindings() == [])
    // After an opening, the first change may let one more checkpoint win the last one of the opening before.
    try fixture.store.set("value", forKey: "key")
    try fixture.store.expectRest(on: fixture.disk, fixture.scheduler)
    // Further changes are followed by rest, and by no checkpoint.
    let checkpointCount = fixture.events.count("checkpoint")
    for number in 0..<5 {
      try fixture.store.set("value \(number)", forKey: "key")
      try fixture.store.expectRest(on: fixture.disk, fixture.scheduler)
    }
    #expect(fixture.events.count("checkpoint") == checkpointCount)
  }

  /// Ways to let go of large values.
  enum Removal: CaseIterable { case drop, clear, removeEverything, remove }

  @Test(arguments: Removal.allCases, [0, 3_000, 20_000])
  func `Large values that were let go just before a close take no space for long`(
    removal: Removal, otherCount: Int
  ) throws {
    let fixture = try StoreFixture(durability: .interval(.seconds(1)))
    for number in 0..<otherCount { try fixture.store.set("value \(number)", forKey: "\(number)") }
    let large = try fixture.store.collection("large")
    for number in 0..<24 { try large.set(pattern(1 << 20, number), forKey: "\(number)") }
    try fixture.store.expectRest(on: fixture.disk, fixture.scheduler)
    let byteCount = fixture.disk.allocatedByteCount(of: StoreFixture.path)!
    #expect(byteCount > 24 << 20)
    switch removal {
    case .drop: try fixture.store.dropCollection("large")
    case .clear: try large.removeAll()
    case .removeEverything: try fixture.store.removeEverything()
    case .remove: for number in 0..<24 { try large.remove(forKey: "\(number)") }
    }
    try fixture.reopen()
    try fixture.store.expectRest(on: fixture.disk, fixture.scheduler)
    #expect(fixture.store.accountFindings() == [])
    let left = fixture.disk.allocatedByteCount(of: StoreFixture.path)!
    #expect(left < 8 << 20, "\(left) of \(byteCount) bytes are left")
  }

  @Test(arguments: Removal.allCases, [0, 20_000])
  func `On a real disk, with threads, large values that were let go take no space for long`(
    removal: Removal, otherCount: Int
  ) throws {
    let directory = try StoreDirectory(takesManySyncs: true)
    let path = directory["store"]
    let store = try SedimentStore(path: path)
    for number in 0..<otherCount { try store.set("value \(number)", forKey: "\(number)") }
    let large = try store.collection("large")
    for number in 0..<40 { try large.set(pattern(1 << 20, number), forKey: "\(number)") }
    try store.sync()
    switch removal {
    case .drop: try store.dropCollection("large")
    case .clear: try large.removeAll()
    case .removeEverything: try store.removeEverything()
    case .remove: for number in 0..<40 { try large.remove(forKey: "\(number)") }
    }
    try store.close()
    let again = try SedimentStore(path: path)
    try again.expectRest()
    #expect(again.accountFindings() == [])
    #expect(try #require(Measures.allocatedByteCount(path)) < 8 << 20)
    try again.close()
  }
}

extension String {
  fileprivate func padded(to count: Int) -> String {
    String(repeating: "0", count: count - self.count) + self
  }
}
