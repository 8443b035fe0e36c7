import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// Changes that find no room, beside others that take what comes free.
@Suite(.serialized) struct StoreTurnTests {
  @Test(arguments: StoreConcurrencyTests.accesses)
  func `A large value finds room in a full evicting store beside two who write all the time`(
    _ access: SedimentOptions.Access
  ) throws {
    let files = try TemporaryStore()
    let store = try SedimentStore(
      path: files.path,
      options: SedimentOptions(
        durability: .unsynced, access: access, capacity: .evicting(maxBytes: 16 << 20)))
    let crew = Crew()
    for writer in 0..<2 {
      crew.repeating { generator, _ in
        for number in 0..<100 {
          let key = "\(writer) \(Int.random(in: 0..<1_000_000, using: &generator))"
          try store.set(pattern(1_000, number), forKey: key)
        }
      }
    }
    try crew.work { writers in
      writers.start { _ in
        for number in 0..<40 { try store.set(pattern(1_500_000, number), forKey: "large") }
      }
    }
    #expect(store.accountFindings() == [])
    try store.close()
  }
}
