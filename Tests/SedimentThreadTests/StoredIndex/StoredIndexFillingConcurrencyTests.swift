import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Threads that use a store right after it was opened, while the parts of its index are taken.
struct StoredIndexFillingConcurrencyTests {
  private static let keyCount = 6_000

  /// A disk with a store that was closed right after its index was stored, and whose last part may be damaged behind what
  /// an opening looks at.
  private static func disk(_ options: SedimentOptions, isDamaged: Bool) throws -> SimulatedDisk {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 5, fileByteCountMax: 64 << 20))
    let store = try SedimentStore(
      path: StoreFixture.path, options: options, disk: disk, scheduler: ManualScheduler())
    for number in 0..<keyCount { try store.set("value", forKey: "key \(number)") }
    #expect(try store.storeIndex())
    try store.close()
    guard isDamaged else { return disk }
    let part = try #require(try disk.indexParts().last)
    try #require(part.pageCount > 5)
    let start = Int(part.segment.run.byteRange.lowerBound) + SegmentHeader.byteCount
    disk.flipBit(1, ofByte: start + 5 * IndexPage.byteCount + 100, in: StoreFixture.path)
    return disk
  }

  @Test(arguments: accesses, [false, true])
  func `Everybody finds what is there, and what is changed stays changed`(
    access: SedimentOptions.Access, isDamaged: Bool
  ) throws {
    var options = SedimentOptions(durability: .unsynced, access: access, compression: .off)
    if !isDamaged { options.storedPartEntryCount = 1 }
    let disk = try Self.disk(options, isDamaged: isDamaged)
    for round in 0..<ConcurrencyScale.of(40) {
      // What is damaged stays so, since too little is written for another index to be stored.
      let image = disk.afterProcessDeath()
      let store = try SedimentStore(path: StoreFixture.path, options: options, disk: image)
      let crew = Crew()
      for thread in 0..<2 {
        crew.start { crew in
          for step in 0..<Self.keyCount {
            let number = (step * 7 + thread * 3_000) % Self.keyCount
            guard try store.contains("key \(number)"), try !store.contains("none \(number)") else {
              return crew.complain("key \(number) in round \(round)")
            }
          }
        }
      }
      crew.start { _ in
        for number in 0..<200 {
          try store.set("newer", forKey: "key \((round * 31 + number * 29) % Self.keyCount)")
        }
      }
      crew.start { crew in
        let count = try store.keys(withPrefix: "key").count
        if count != Self.keyCount { crew.complain("\(count) keys in round \(round)") }
      }
      try crew.work { _ in }
      for number in 0..<200 {
        let key = "key \((round * 31 + number * 29) % Self.keyCount)"
        #expect(try store.retrieve(forKey: key, as: String.self) == "newer")
      }
      #expect(store.accountFindings(isAlone: false) == [])
      try store.close()
      try image.expectSameIndex("round \(round)")
    }
  }

  @Test(arguments: [false, true])
  func `A close that comes while parts are taken ends, and leaves the file closed`(isDamaged: Bool) throws {
    var options = SedimentOptions(durability: .unsynced, compression: .off)
    if !isDamaged { options.storedPartEntryCount = 1 }
    let disk = try Self.disk(options, isDamaged: isDamaged)
    for round in 0..<ConcurrencyScale.of(80) {
      let store = try SedimentStore(path: StoreFixture.path, options: options, disk: disk)
      #expect(store.recovery.wasClosed)
      #expect(store.recovery.storedKeyCount == UInt64(Self.keyCount))
      let crew = Crew()
      crew.start { crew in
        for number in 0..<Self.keyCount {
          do {
            if try !store.contains("key \(number)") { crew.complain("key \(number) in round \(round)") }
          } catch let error as SedimentError where error.code == .closed {
            return
          }
        }
      }
      for number in 0..<round { _ = try store.contains("key \(number)") }
      try store.close()
      try crew.work { _ in }
    }
  }
}
