import CrashModel
import Sediment
import SedimentTesting

/// A damaged file opened, read and written to: it holds the same as before, or says with a typed error what it lacks.
struct DamageTrial {
  private let sample: DamageSample
  private let damage: FileDamage
  private let scenario: EngineScenario
  private let disk: SimulatedDisk
  private let bytes: [UInt8]
  /// Whether one of the superblocks is not what it was.
  private let isHeadDamaged: Bool
  /// Whether anything else is not.
  private let isBodyDamaged: Bool
  /// What was not as it should be.
  private(set) var reasons: [String] = []

  init(_ sample: DamageSample, _ damage: FileDamage, _ access: SedimentOptions.Access) {
    self.sample = sample
    self.damage = damage
    var scenario = sample.scenario
    scenario.access = access
    self.scenario = scenario
    bytes = damage.applied(to: sample.bytes, states: sample.states)
    let bytes = bytes
    func isChanged(_ range: Range<Int>) -> Bool {
      range.upperBound > bytes.count || bytes[range] != sample.bytes[range]
    }
    isHeadDamaged = Self.superblocks.contains(where: isChanged)
    isBodyDamaged = isChanged(Self.superblocks[1].upperBound..<sample.bytes.count)
    disk = SimulatedDisk(SimulatedDiskOptions(seed: 8, fileByteCountMax: 8 << 20, wallClock: 1))
    disk.install(bytes, at: EngineScenario.path)
  }

  mutating func run() {
    guard let storage = attempt("opening", { [scenario, disk] in try scenario.open(on: disk) }) else {
      expectUnchanged()
      return
    }
    guard let store = storage.store else { return }
    var expected = expected(in: store)
    read(store, expected, "opened")
    write(storage, &expected)
    read(store, expected, "written to")
    attempt("closing") { try store.close() }
    guard let again = attempt("opening again", { [scenario, disk] in try scenario.open(on: disk) }),
      let store = again.store
    else { return }
    read(store, expected, "opened again")
  }

  /// What the store must hold: what it held before.
  ///
  /// Where the damage took both a part of the log and what says how far it reaches, it may be what the store held at
  /// any time. In a file that was not closed one sector may be that of the last operations and of the marks behind them.
  private func expected(in store: SedimentStore) -> CrashContents {
    let mayBeOfAnyTime = sample.isClosed ? isHeadDamaged && isBodyDamaged : !damage.isOfOneSector
    let count = mayBeOfAnyTime ? sample.history.count : sample.tornCountMax + 1
    guard count > 1 else { return sample.contents }
    return sample.history.suffix(count).last { isReadable($0, in: store) } ?? sample.contents
  }

  /// Whether each key that can be read has the value that it had then; other records may be damaged as well.
  private func isReadable(_ contents: CrashContents, in store: SedimentStore) -> Bool {
    contents.collections.allSatisfy { name, entries in
      guard name.isEmpty || store.collectionNames.contains(name) else { return false }
      return CrashOperation.keys.allSatisfy { key in
        do {
          let keys = try name.isEmpty ? store.defaultCollection : store.collection(name)
          return isExpected(try keys.retrieve(forKey: key), entries[key])
        } catch {
          return true
        }
      }
    }
  }

  private func isExpected(_ found: [UInt8]?, _ entry: CrashContents.Entry?) -> Bool {
    found == entry?.value || found == nil && entry?.mayBeGone == true
  }

  /// A file that is refused stays as it was, but for the note of who had it open, which nothing depends on.
  ///
  /// One that was not closed, or seems so since a superblock is damaged, is recovered before its records are scanned.
  private mutating func expectUnchanged() {
    if isHeadDamaged || !sample.isClosed { return }
    let found = disk.contents(of: EngineScenario.path) ?? []
    let isSame =
      found.count == bytes.count
      && found.indices.allSatisfy { byte in
        found[byte] == bytes[byte] || Self.noteRange.contains(byte)
      }
    if !isSame { reasons.append("was changed and then refused") }
  }

  private static let noteRange = 4096..<4160
  private static let superblocks = [0..<4096, 16_384..<20_480]

  /// Every key has its value or an error, and there are no others.
  private mutating func read(_ store: SedimentStore, _ expected: CrashContents, _ moment: String) {
    var isWhole = true
    for (name, entries) in expected.collections {
      guard name.isEmpty || store.collectionNames.contains(name) else {
        reasons.append("\(moment): a collection is missing")
        continue
      }
      for key in CrashOperation.keys {
        let found = attempt("\(moment), reading") {
          let keys = try name.isEmpty ? store.defaultCollection : store.collection(name)
          return try keys.retrieve(forKey: key) as [UInt8]?
        }
        guard let found else {
          isWhole = false
          continue
        }
        if !isExpected(found, entries[key]) {
          reasons.append("\(moment): '\(key)' of '\(name)' \(found == nil ? "is lost" : "is wrong")")
        }
      }
    }
    guard let found = attempt("\(moment), going through", { try CrashContents(of: store) }), isWhole else {
      return
    }
    if !scenario.accepts(found, as: expected) {
      reasons.append("\(moment): holds \(found.summary) and not \(expected.summary)")
    }
  }

  /// A store that could be opened takes what is new.
  private mutating func write(_ storage: EngineUnderTest, _ expected: inout CrashContents) {
    let operations: [CrashOperation] = [
      .set(.init("key-5"), byteCount: 30, .unsynced),
      .batch([(.init("key-6"), 30), (.init("key-7"), 700)], .synced),
    ]
    for (number, operation) in operations.enumerated() {
      do {
        _ = try scenario.perform(operation, number: 100 + number, on: storage)
        scenario.apply(operation, number: 100 + number, to: &expected, on: disk)
      } catch {
        reasons.append("takes no \(operation): \(error)")
      }
    }
  }

  /// Whether the file begins, or its second superblock, as one of ours does.
  private var hasMagic: Bool {
    let magic = Array("SEDIMENT".utf8)
    return Self.superblocks.contains { bytes.dropFirst($0.lowerBound).starts(with: magic) }
  }

  /// What the closure returns; nil if it throws that the file is damaged or, where nothing tells that it is one of ours,
  /// that it is foreign.
  @discardableResult
  private mutating func attempt<Result>(_ what: String, _ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch let error as SedimentError {
      let codes: Set<SedimentError.Code> = hasMagic ? [.damaged] : [.damaged, .foreign]
      // Of a file that begins as none of ours does, there is no place to tell.
      let tellsPlace = error.code != .damaged || error.offset != nil
      if !codes.contains(error.code) || !tellsPlace || error.path != EngineScenario.path {
        reasons.append("\(what): \(error.code): \(error)")
      }
    } catch {
      reasons.append("\(what): \(error)")
    }
    return nil
  }
}
