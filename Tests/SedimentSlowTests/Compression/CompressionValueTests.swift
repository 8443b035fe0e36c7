import Foundation
import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// Values that are stored compressed.
@Suite struct CompressionValueTests {
  private static let forms: [SedimentCompression] = [
    .off, .zstd(level: 1), .zstd(level: 3), .zstd(level: 19), .automatic,
  ]
  private static let byteCounts = [
    0, 1, 15, 16, 63, 64, 65, 100, 255, 256, 1_000, 4_095, 4_096, 16_384, 32_768, 32_769, 65_535, 65_536,
    131_071, 131_072, 131_073, 200_000, 1_000_000,
  ]

  @Test(arguments: accesses, forms)
  func `Values of every length are had back, whatever they are like`(
    access: SedimentOptions.Access, form: SedimentCompression
  ) throws {
    let fixture = try StoreFixture(access, compression: form)
    let kinds: [(String, (Int) -> [UInt8])] = [
      ("text", { Samples.text($0, $0) }), ("random", { pattern($0) }),
      ("zeros", { [UInt8](repeating: 0, count: $0) }),
    ]
    func check() throws {
      var buffer: [UInt8] = []
      for (name, value) in kinds {
        for count in Self.byteCounts {
          let key = "\(name) \(count)"
          #expect(try same(fixture.store.retrieve(forKey: key), value(count)), "\(key)")
          #expect(try fixture.store.retrieve(forKey: key, into: &buffer), "\(key)")
          #expect(same(buffer, value(count)), "\(key)")
          let inPlace = try fixture.store.withValue(forKey: key) { copy($0) }
          #expect(same(inPlace ?? nil, value(count)), "\(key)")
        }
      }
    }
    for (name, value) in kinds {
      for count in Self.byteCounts { try fixture.store.set(value(count), forKey: "\(name) \(count)") }
    }
    try check()
    try fixture.reopen()
    try check()
    // Whoever opens it next may have chosen something else.
    try fixture.close()
    fixture.options.compression = form == .off ? .automatic : .off
    try fixture.open()
    try check()
    #expect(fixture.disk.violations.first == nil)
  }

  @Test(arguments: [-5, 0, 20, .max, .min])
  func `A level that zstd does not have is refused before a file is made`(level: Int) throws {
    let directory = try StoreDirectory()
    let path = directory["store"]
    let options = SedimentOptions(compression: .zstd(level: level))
    #expect(code { _ = try SedimentStore(path: path, options: options) } == .invalidArgument)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `A value is stored compressed only where that saves an eighth`() throws {
    let fixture = try StoreFixture(compression: .zstd(level: 1))
    try fixture.store.set(pattern(1_000), forKey: "random")
    #expect(fixture.store.statistics.liveByteCount == 16 + 6 + 1_000 + 2)
    // Nine tenths are random: what is left to save is less than an eighth.
    try fixture.store.set([UInt8](repeating: 7, count: 100) + pattern(900), forKey: "hardly")
    #expect(fixture.store.statistics.liveByteCount == 1_024 + 16 + 6 + 1_000 + 2)
    let before = fixture.store.statistics.liveByteCount
    try fixture.store.set([UInt8](repeating: 7, count: 200) + pattern(800), forKey: "a fifth")
    #expect(fixture.store.statistics.liveByteCount - before < 880)
    let figures = fixture.store.statistics.compression
    #expect(figures.valueCount == 3)
    #expect(figures.compressedCount == 1)
    #expect(figures.valueByteCount == 3_000)
    #expect(figures.storedByteCount > 2_800 && figures.storedByteCount < 2_860)
  }

  @Test func `Large values are written in pieces, and the memory for that does not grow with them`() throws {
    let directory = try StoreDirectory()
    let store = try SedimentStore(path: directory["store"])
    let value = Samples.text(64 << 20)
    try store.set(value, forKey: "large")
    #expect(store.statistics.liveByteCount < 1_000)
    #expect(store.statistics.compression.ratio > 2)
    #expect(store.statistics.fileByteCount < 40 << 20)
    #expect(try same(store.retrieve(forKey: "large"), value))
    let random = pattern(64 << 20)
    try store.set(random, forKey: "random")
    #expect(try same(store.retrieve(forKey: "random"), random))
    try store.close()
    for access in accesses {
      let reader = try SedimentStore(
        path: directory["store"], options: SedimentOptions(readOnly: true, access: access))
      #expect(try same(reader.retrieve(forKey: "large"), value))
      try reader.close()
    }
  }

  @Test(arguments: accesses)
  func `Values read in place inside one another stay as they are`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access, compression: .automatic)
    for number in 0..<8 { try fixture.store.set(Samples.text(1_000, number), forKey: "\(number)") }
    func nest(_ number: Int) throws {
      guard number < 8 else { return }
      try fixture.store.withValue(forKey: "\(number)") { value in
        try nest(number + 1)
        #expect(try same(fixture.store.retrieve(forKey: "\(7 - number)"), Samples.text(1_000, 7 - number)))
        try fixture.store.set(Samples.text(2_000), forKey: "other")
        #expect(same(copy(value), Samples.text(1_000, number)))
      }
    }
    try nest(0)
    try nest(0)
  }

  @Test(arguments: accesses)
  func `Batches, updates, comparisons, groups and iteration see values as they were set`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access, compression: .automatic)
    let store = fixture.store
    let trained = try fixture.setUntilTrained()
    let users = try store.collection("users")
    try store.batch { batch in
      for number in 0..<40 { batch.set(Samples.json(number + 9_000), forKey: "\(number + 9_000)") }
      batch.set(Samples.text(300_000), forKey: "large")
      batch.set(Samples.text(1_000), forKey: "text", in: users)
    }
    try fixture.checkJSON(0..<trained)
    try fixture.checkJSON(9_000..<9_040)
    #expect(try same(store.retrieve(forKey: "large"), Samples.text(300_000)))
    #expect(try same(users.retrieve(forKey: "text"), Samples.text(1_000)))
    try store.update(forKey: "9000") { old in
      #expect(same(old, Samples.json(9_000)))
      return Samples.json(5)
    }
    #expect(try store.compareAndSet(forKey: "9000", expected: Samples.json(5), new: Samples.json(6)))
    #expect(try !store.compareAndSet(forKey: "9000", expected: Samples.json(5), new: Samples.json(7)))
    #expect(try same(store.retrieve(forKey: "9000"), Samples.json(6)))
    let group = try store.retrieve(forKeys: ["9001", "nothing", "9002"])
    #expect(group == [Samples.json(9_001), nil, Samples.json(9_002)])
    #expect(try store.retrieve(forKey: "9001", as: String.self).map { Array($0.utf8) } == Samples.json(9_001))
    var seenCount = 0
    try store.forEach { key, value in
      seenCount += 1
      if let number = Int(String(decoding: copy(key)!, as: UTF8.self)), number != 9_000 {
        #expect(same(copy(value), Samples.json(number)))
      }
      return .continue
    }
    #expect(seenCount == trained + 41)
  }
}
