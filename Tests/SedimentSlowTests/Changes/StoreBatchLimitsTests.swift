import Sediment
import SedimentSupport
import Testing

/// How much one batch may hold.
struct StoreBatchLimitsTests {
  @Test func `A batch has at most 1,048,576 changes`() throws {
    let fixture = try StoreFixture()
    let image = fixture.image
    let error = #expect(throws: SedimentError.self) {
      try fixture.store.batch { batch in
        for _ in 0...1 << 20 { batch.remove(forKey: "") }
      }
    }
    #expect(error?.code == .tooLarge)
    #expect(
      error?.message == "A batch of 1048577 changes is larger than the limit of 1048576 changes. Split it.")
    #expect(fixture.image == image)
  }

  @Test func `The records of a batch take at most 256 MiB`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "key")
    let image = fixture.image
    let value = [UInt8](repeating: 1, count: 15 << 10)
    let error = #expect(throws: SedimentError.self) {
      try fixture.store.batch { batch in
        for _ in 0..<17_500 { batch.set(value, forKey: "key") }
      }
    }
    #expect(error?.code == .tooLarge)
    #expect(fixture.image == image)
    try fixture.store.set("still well", forKey: "key")
  }
}
