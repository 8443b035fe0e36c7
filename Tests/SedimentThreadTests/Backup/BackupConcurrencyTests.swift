import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Copies of stores that other threads write to.
struct BackupConcurrencyTests {
  @Test(arguments: accesses, [false, true])
  func `It is the store of one moment, however much another thread writes meanwhile`(
    access: SedimentOptions.Access, clones: Bool
  ) throws {
    var options = SimulatedDiskOptions(seed: 1)
    options.traits.clones = clones
    let fixture = try StoreFixture(access, on: SimulatedDisk(options))
    let store = fixture.store
    @Sendable func value(_ number: Int) -> [UInt8] {
      pattern(number % 50 == 7 ? 140_000 : 200 + number % 90, number)
    }
    try Crew().work { crew in
      crew.start { _ in
        for number in 0..<4_000 { try store.set(value(number), forKey: "\(number % 97)") }
      }
      for number in 0..<8 { try store.backup(to: "data/copy \(number)") }
    }
    for number in 0..<8 {
      let copy = try StoreFixture.opened("data/copy \(number)", on: fixture.disk)
      let keys = try copy.keys()
      // The last change is that of the key whose value has the highest number; all before it must be there.
      var values: [Int: [UInt8]] = [:]
      for key in keys {
        values[Int(String(decoding: key, as: UTF8.self))!] = try copy.retrieve(forKey: key)
      }
      let isPrefix = (0...4_000).contains { count in
        let first = max(0, count - 97)
        guard values.count == count - first else { return false }
        return (first..<count).allSatisfy { same(values[$0 % 97], value($0)) }
      }
      #expect(isPrefix, "copy \(number) with \(keys.count) keys")
    }
  }
}
