import CrashModel
import Foundation
import Sediment
import SedimentDisk
import SedimentTesting

/// A store on a real file system that another file fills, which then makes room again.
///
/// A full disk refuses changes, and leaves the store as it was. Where the file system writes in place, removals work all
/// the same, and so does another opening. Where it copies on write, each may be refused. Once there is room, the store
/// goes on without being opened again.
struct FullDeviceRun {
  private let machine: DeviceMachine
  private let options: SedimentOptions
  private let copiesOnWrite: Bool
  private var generator: SeededGenerator
  private var store: SedimentStore
  private var expected: [String: [UInt8]] = [:]
  private var valueCount = 0

  init(_ fileSystem: DeviceFileSystem, _ options: SedimentOptions, seed: UInt64) throws {
    machine = try DeviceMachine(fileSystem, base: try fileSystem.base(leaving: nil), history: Data())
    self.options = options
    copiesOnWrite = fileSystem == .btrfs
    generator = SeededGenerator(seed: seed)
    store = try SedimentStore(path: "\(machine.path)/store.sediment", options: options)
  }

  mutating func run() throws {
    for _ in 0..<300 { try set() }
    try step("a disk that fills up") { try $0.fill() }
    try step("changes on a full disk") { try $0.change(mustSucceed: false) }
    try step("removals on a full disk") { try $0.remove(8, mayBeRefused: $0.copiesOnWrite) }
    try step("a sync on a full disk") { run in _ = try run.refusal { try $0.store.sync() } }
    try step("changes once there is room") { run in
      try run.makeRoom()
      try run.change(mustSucceed: true)
      try run.store.sync()
    }
    try step("a disk that fills up again") { try $0.fill() }
    try step("another opening on a full disk") { try $0.reopen() }
    try step("removals after that") { try $0.remove(4, mayBeRefused: $0.copiesOnWrite) }
    try step("changes in the end") { run in
      try run.makeRoom()
      try run.change(mustSucceed: true)
    }
    try store.close()
    let report = try SedimentStore.verify(path: path)
    if !report.isIntact { throw failure("verification: \(report.findings.map(\.description))") }
    _ = try machine.log()
  }

  private var path: String { "\(machine.path)/store.sediment" }
  private var ballast: String { "\(machine.path)/ballast" }

  private mutating func step(_ what: String, _ body: (inout Self) throws -> Void) throws {
    do {
      try body(&self)
      try check()
    } catch {
      throw failure("\(what): \(error)")
    }
  }

  private func failure(_ text: String) -> DeviceFailure { DeviceFailure(description: text) }

  // MARK: The disk

  /// Lets another file take all room, down to the last block.
  private func fill() throws {
    let file = unsafe open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    var end: off_t = 0
    for size in [16 << 20, 1 << 20, 64 << 10, 4 << 10] as [off_t] {
      while posix_fallocate(file, end, size) == 0 { end += size }
    }
    guard fsync(file) == 0 else { throw failure("the ballast is not on the device: error \(errno)") }
  }

  private func makeRoom() throws {
    try FileManager.default.removeItem(atPath: ballast)
    // Some file systems give blocks back when the removal is on the device.
    let folder = unsafe open(machine.path, O_RDONLY | O_CLOEXEC)
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw failure("the removal is not on the device: error \(errno)") }
  }

  // MARK: The store

  /// Why there is no room for something; nil if it is done.
  ///
  /// With `orPart`, the disk may also have taken a part of a record, after which the store has failed.
  private mutating func refusal(
    orPart: Bool = false, _ body: (inout Self) throws -> Void
  ) throws -> String? {
    do {
      try body(&self)
      return nil
    } catch let error as SedimentError {
      let isPart = orPart && error.code == .outcomeUnknown && error.systemError?.code == .noSpace
      guard error.code == .outOfSpace || isPart else { throw error }
      return "\(error)"
    }
  }

  private mutating func set() throws {
    valueCount += 1
    let key = "\(Int.random(in: 0..<60, using: &generator))"
    let byteCount = Int.random(in: 20..<6_000, using: &generator)
    let value = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ valueCount) }
    let durabilities: [SedimentDurability] = [.unsynced, .synced, .interval(.milliseconds(20))]
    try store.set(value, forKey: key, durability: durabilities[valueCount % 3])
    expected[key] = value
  }

  private mutating func change(mustSucceed: Bool) throws {
    for _ in 0..<60 {
      if let reason = try refusal({ try $0.set() }), mustSucceed { throw failure("refused: \(reason)") }
    }
  }

  private mutating func remove(_ count: Int, mayBeRefused: Bool) throws {
    for key in expected.keys.sorted().prefix(count) {
      let reason = try refusal {
        try $0.store.remove(forKey: key)
        $0.expected[key] = nil
      }
      if let reason, !mayBeRefused { throw failure("a removal is refused: \(reason)") }
    }
  }

  /// Closes the store and opens it again; where that is refused, it can still be read, and opens once there is room.
  private mutating func reopen() throws {
    let closing = try refusal(orPart: copiesOnWrite) { try $0.store.close() }
    let opening = try refusal(orPart: copiesOnWrite) {
      $0.store = try SedimentStore(path: $0.path, options: $0.options)
    }
    if let reason = closing ?? opening, !copiesOnWrite { throw failure("refused: \(reason)") }
    if opening == nil { return }
    var reading = options
    reading.readOnly = true
    let reader = try SedimentStore(path: path, options: reading)
    try check(reader)
    try reader.close()
    try makeRoom()
    store = try SedimentStore(path: path, options: options)
    try fill()
  }

  private func check() throws { try check(store) }

  private func check(_ store: SedimentStore) throws {
    var found: [String: [UInt8]] = [:]
    try store.forEach { key, value in
      found[String(sedimentBytes: key) ?? "?"] = [UInt8](sedimentBytes: value)
      return .continue
    }
    if found == expected { return }
    let wrong = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted()
    throw failure("lost or mistaken: \(wrong.prefix(5))")
  }
}
