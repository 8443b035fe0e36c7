import CrashModel
import Foundation
import Sediment
import SedimentTesting

/// One operation on a store whose disk has so many bytes left, and all that must go on working there.
struct FullDiskRun {
  private let disk: SmallDisk
  private let operation: FullDiskOperation
  private let freeByteCount: Int
  private let options: SedimentOptions
  private var generator: SeededGenerator
  private var store: SedimentStore?
  /// What was acknowledged, of the store's own keys and of the collection's.
  private var own: [String: [UInt8]] = [:]
  private var shared: [String: [UInt8]] = [:]
  private var valueCount = 0

  struct Mistake: Error, CustomStringConvertible {
    var description: String
  }

  init(_ operation: FullDiskOperation, freeByteCount: Int, _ options: SedimentOptions, seed: UInt64) throws {
    self.operation = operation
    self.freeByteCount = freeByteCount
    self.options = options
    generator = SeededGenerator(seed: seed)
    disk = try SmallDisk(byteCount: 4 << 20)
  }

  mutating func run() throws {
    if operation == .create {
      try disk.fill(leaving: freeByteCount)
      try create()
    } else {
      try open()
      try prepare()
      try fillDisk()
      for _ in 0..<operation.repetitionCount { if try !isDone() { break } }
    }
    try goOn()
  }

  // MARK: The store

  private var path: String { disk["store.sediment"] }

  private var opened: SedimentStore {
    get throws {
      guard let store else { throw Mistake(description: "the store is not open") }
      return store
    }
  }

  private mutating func open() throws {
    store = try SedimentStore(path: path, options: options)
  }

  private mutating func close() throws {
    try opened.close()
    store = nil
  }

  /// Values of all sizes, of which some were replaced and some removed.
  private mutating func prepare() throws {
    _ = try opened.collection("shared")
    for number in 0..<160 {
      try set("\(number % 60)", byteCount: 20 + random(6_000))
      if number % 5 == 0 { try setShared("\(number % 20)", byteCount: 20 + random(500)) }
    }
    try set("large", byteCount: 200_000)
    for number in 0..<10 { try remove("\(number * 3)") }
    if Bool.random(using: &generator) { try opened.sync() }
  }

  /// Lets the disk be full and the store use up what it has ahead; then leaves it the bytes of this case.
  ///
  /// Where the operation opens the store, it is closed before, or was left by a process that died.
  private mutating func fillDisk() throws {
    try disk.fill(leaving: 0)
    do {
      while true { try set("filler \(valueCount)", byteCount: 20 + random(2_000)) }
    } catch let error as SedimentError where error.code == .outOfSpace {}
    switch operation {
    case .open: try close()
    case .recover:
      let bytes = try fileAtAMoment()
      try close()
      try disk.empty()
      try bytes.write(to: URL(fileURLWithPath: path))
      try disk.fill(leaving: freeByteCount)
      return
    default: break
    }
    try disk.release(freeByteCount)
  }

  /// What a process leaves that dies now.
  ///
  /// The background goes on while the file is read: only bytes that two readings agree on are those of a moment, the one
  /// between them.
  private func fileAtAMoment() throws -> Data {
    let file = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: file)
    while case let again = try Data(contentsOf: file), again != bytes { bytes = again }
    return bytes
  }

  // MARK: The operation

  /// Creates a store where there may be no room for it; then nothing is left of it.
  private mutating func create() throws {
    do {
      try open()
      _ = try opened.collection("shared")
    } catch let error as SedimentError where error.code == .outOfSpace {
      if store == nil, try !disk.names.subtracting(["ballast"]).isEmpty {
        throw Mistake(description: "a store that could not be created left \(try disk.names)")
      }
    }
    if store == nil {
      try disk.empty()
      try open()
      _ = try opened.collection("shared")
      try disk.fill(leaving: freeByteCount)
    }
  }

  /// Carries out the operation; false if it was refused, as it may be for want of room and nothing else.
  private mutating func isDone() throws -> Bool {
    do {
      try carryOut()
      return true
    } catch let error as SedimentError where error.code == .outOfSpace && operation.mayBeRefused {
      return false
    } catch {
      throw Mistake(description: "\(operation): \(Self.words(error))")
    }
  }

  private mutating func carryOut() throws {
    let key = "\(random(70))"
    switch operation {
    case .create: break
    case .set: try set(key, byteCount: 20 + random(6_000))
    case .setLarge: try set("large \(random(3))", byteCount: 140_000 + random(100_000))
    case .batch: try batch()
    case .update:
      let value = newValue(20 + random(3_000))
      try opened.update(forKey: key) { _ in value }
      own[key] = value
    case .setIfAbsent:
      let value = newValue(20 + random(3_000))
      if try opened.setIfAbsent(value, forKey: "new \(valueCount)") { own["new \(valueCount)"] = value }
    case .setExpiry: try opened.setExpiry(.after(.seconds(3_600)), forKey: key)
    case .newCollection: _ = try opened.collection("collection \(random(1_000))")
    case .remove: try remove(key)
    case .clear:
      try opened.removeAll()
      own = [:]
    case .drop:
      try opened.dropCollection("shared")
      shared = [:]
    case .removeEverything:
      try opened.removeEverything()
      (own, shared) = ([:], [:])
    case .sync: try opened.sync()
    case .checkpoint: try opened.checkpoint()
    case .storeIndex: try opened.storeIndex()
    case .compact: try opened.compact()
    case .backup: try backUp()
    case .close: try close()
    case .open, .recover: try open()
    }
  }

  private mutating func batch() throws {
    let collection = try opened.collection("shared")
    let members = (0..<6).map { _ in ("\(random(70))", newValue(20 + random(1_500))) }
    try opened.batch { batch in
      for (key, value) in members {
        batch.set(value, forKey: key)
        batch.set(value, forKey: key, in: collection)
      }
    }
    for (key, value) in members { (own[key], shared[key]) = (value, value) }
  }

  /// Makes a copy on the same disk; where there is no room for it, nothing is left of it.
  private func backUp() throws {
    do {
      try opened.backup(to: disk["copy.sediment"])
      try FileManager.default.removeItem(atPath: disk["copy.sediment"])
    } catch {
      let names = try disk.names.subtracting(["ballast", "store.sediment"])
      if !names.isEmpty { throw Mistake(description: "a copy that failed left \(names)") }
      throw error
    }
  }

  // MARK: What goes on

  /// Sees that nothing is lost, that removing, compacting, closing and opening, and removing behind that, work while the
  /// disk is full, and all else once there is room.
  private mutating func goOn() throws {
    try step("reading") { run in
      if run.store == nil { try run.open() }
      try run.check()
    }
    try step("removing") { run in
      for key in run.own.keys.sorted().prefix(5) { try run.remove(key) }
      try run.check()
    }
    try step("removing where it was opened again and the disk is still full") { run in
      try run.close()
      // Others take what the store gave back.
      try run.disk.fill(leaving: 0)
      try run.open()
      for key in run.own.keys.sorted().suffix(5) { try run.remove(key) }
      try run.check()
    }
    try step("compacting") { run in try run.opened.compact() }
    try step("reading what was compacted") { run in try run.check() }
    try step("opening again") { run in
      try run.close()
      try run.open()
      try run.check()
    }
    try disk.empty()
    try step("storing where there is room again") { run in
      for number in 0..<20 { try run.set("\(number)", byteCount: 3_000) }
      try run.set("large", byteCount: 150_000)
      try run.setShared("1", byteCount: 100)
      try run.check()
      try run.close()
    }
    let report = try SedimentStore.verify(path: path)
    if !report.isIntact { throw Mistake(description: "verification: \(report.findings.map(\.description))") }
    try step("opening where there is room again") { run in
      try run.open()
      try run.check()
      try run.close()
    }
  }

  private mutating func step(_ what: String, _ body: (inout FullDiskRun) throws -> Void) throws {
    do {
      try body(&self)
    } catch {
      throw Mistake(description: "after \(operation), \(what): \(Self.words(error))")
    }
  }

  private static func words(_ error: any Error) -> String {
    (error as? SedimentError).map { "\($0.code): \($0)" } ?? "\(error)"
  }

  private func check() throws {
    try opened.expectAccounts()
    try Self.check(opened, own, "the store")
    // A collection that was dropped is not made again where there is no room.
    if try opened.collectionNames.contains("shared") {
      try Self.check(opened.collection("shared"), shared, "the collection")
    } else if !shared.isEmpty {
      throw Mistake(description: "the collection is gone")
    }
  }

  private static func check(_ keys: some SedimentKeyspace, _ expected: [String: [UInt8]], _ what: String)
    throws
  {
    var found: [String: [UInt8]] = [:]
    try keys.forEach { key, value in
      found[String(sedimentBytes: key) ?? "?"] = [UInt8](sedimentBytes: value)
      return .continue
    }
    guard found != expected else { return }
    let wrong = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted()
    throw Mistake(description: "\(what) has lost or mistaken \(wrong.prefix(5))")
  }

  // MARK: Changes

  private mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  private mutating func newValue(_ byteCount: Int) -> [UInt8] {
    valueCount += 1
    var piece = SeededGenerator(seed: UInt64(valueCount))
    let bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &piece) }
    return (0..<byteCount).map { bytes[$0 & 63] ^ UInt8(truncatingIfNeeded: $0 >> 6) }
  }

  private mutating func set(_ key: String, byteCount: Int) throws {
    let value = newValue(byteCount)
    try opened.set(value, forKey: key)
    own[key] = value
  }

  private mutating func setShared(_ key: String, byteCount: Int) throws {
    let value = newValue(byteCount)
    try opened.collection("shared").set(value, forKey: key)
    shared[key] = value
  }

  private mutating func remove(_ key: String) throws {
    try opened.remove(forKey: key)
    own[key] = nil
  }
}
