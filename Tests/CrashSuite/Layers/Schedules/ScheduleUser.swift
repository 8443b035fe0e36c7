import Sediment
import SedimentTesting

/// The store that the threads of a schedule share, which one of them may open anew.
///
/// Unchecked: whoever has the turn alone uses what changes.
final class ScheduleStore: @unchecked Sendable {
  static let path = "data/store"
  static let collectionName = "box"

  let script: ScheduleScript
  let disk: ScheduledDisk
  let jobs: ScheduledJobs
  let history = OperationHistory<Int, Int>()
  private(set) var store: SedimentStore?
  private(set) var findings: [String] = []
  private var backupCount = 0

  init(_ script: ScheduleScript, _ disk: ScheduledDisk, _ jobs: ScheduledJobs) throws {
    self.script = script
    self.disk = disk
    self.jobs = jobs
    try open()
  }

  func open() throws {
    let opened = try SedimentStore(path: Self.path, options: script.options, disk: disk, scheduler: jobs)
    if !opened.recovery.wasClosed { find("what was closed opens as if it had not been") }
    store = opened
  }

  func close() throws {
    let closed = store
    store = nil
    try closed?.close()
  }

  /// Makes a copy, and looks whether it is intact.
  func backUp(_ store: SedimentStore) throws {
    backupCount += 1
    let path = "data/copy\(backupCount)"
    try store.backup(to: path)
    let report = try SedimentStore.verify(path: path, on: disk)
    if !report.isIntact { find("a copy: \(report.findings.map(\.description))") }
    try disk.remove(path)
  }

  func find(_ reason: String) { findings.append(reason) }

  /// Compares what is counted by hand with what is there, once the background has come to rest.
  func checkAccounts() {
    jobs.rest()
    for finding in store?.accountFindings() ?? [] { find("accounts: \(finding)") }
  }
}

/// A thread of a schedule that carries out its part of the script, and notes what it saw.
struct ScheduleUser {
  typealias Key = ScheduleScript.Key

  private let shared: ScheduleStore
  private let number: Int
  private var log: OperationLog<Int, Int>
  private var valueCount = 0
  /// What was seen last of each key.
  private var seen: [Key: Int] = [:]

  init(_ shared: ScheduleStore, number: Int) {
    self.shared = shared
    self.number = number
    log = shared.history.log()
  }

  mutating func run(_ steps: [ScheduleScript.Step]) {
    for step in steps {
      shared.jobs.beginStep(of: number)
      // Another one is about to open it again.
      guard let store = shared.store else {
        SchedulePoint.reach(.yielded)
        continue
      }
      do {
        try run(step, store)
      } catch let error as SedimentError {
        if !isExpected(error, of: step) { shared.find("\(step): \(error.code), \(error)") }
      } catch {
        shared.find("\(step): \(error)")
      }
    }
    shared.history.add(log)
  }

  private func isExpected(_ error: SedimentError, of step: ScheduleScript.Step) -> Bool {
    switch error.code {
    case .closed, .collectionDropped: return true
    case .outOfSpace:
      if shared.script.options.capacity == .unlimited || shared.script.hasStaying { return false }
      switch step {
      case .remove, .thin: return !shared.script.hasBackups
      default: return true
      }
    default: return false
    }
  }

  private mutating func newNumber(_ size: Int, expires: Bool = false) -> Int {
    valueCount += 1
    return ScheduleValue.number(thread: number, count: valueCount, size: size, expires: expires)
  }

  private func keys(of key: Key, _ store: SedimentStore) throws -> SedimentCollection {
    try keys(ofCollection: key.isOfCollection, store)
  }

  private func keys(ofCollection isOfCollection: Bool, _ store: SedimentStore) throws -> SedimentCollection {
    try isOfCollection ? store.collection(ScheduleStore.collectionName) : store.defaultCollection
  }

  /// The keys of the collection, or all.
  private func registers(ofAll: Bool) -> [Key] { shared.script.keys.filter { ofAll || $0.isOfCollection } }

  // MARK: Changes

  /// Makes a change; a synced one that failed may have been made all the same.
  private mutating func change<Result>(
    _ keys: [(key: Key, step: RegisterStep<Int>)], isSynced: Bool? = nil, _ body: () throws -> Result,
    then steps: ((Result) -> [RegisterStep<Int>])? = nil
  ) throws {
    let begin = log.now()
    do {
      let result = try body()
      let end = log.now()
      for (place, step) in (steps?(result) ?? keys.map(\.step)).enumerated() {
        note(step, on: keys[place].key, from: begin, to: end)
      }
    } catch let error as SedimentError {
      if error.code == .closed, isSynced ?? (shared.script.options.durability == .synced) {
        for (key, step) in keys {
          log.note(RegisterStep(found: .anything, left: step.left), on: key.number, from: begin, to: nil)
        }
      }
      throw error
    }
  }

  /// Notes a step, with no more of what was found than is certain where values go by themselves.
  private mutating func note(
    _ step: RegisterStep<Int>, on key: Key, from begin: OperationMoment, to end: OperationMoment
  ) {
    var step = step
    switch step.found {
    case .exactly(nil) where shared.script.evicts: step.found = .anything
    case .anythingBut where shared.script.evicts || shared.script.expires: step.found = .anything
    default: break
    }
    log.note(step, on: key.number, from: begin, to: end)
  }

  private mutating func run(_ step: ScheduleScript.Step, _ store: SedimentStore) throws {
    switch step {
    case .set(let key, let size, let expires, let isSynced):
      let new = newNumber(size, expires: expires)
      let expiry = expires ? SedimentExpiry.after(.seconds(3)) : .never
      let keys = try keys(of: key, store)
      let step = RegisterStep(found: .anything, left: .value(ScheduleValue.noted(new)))
      try change([(key, step)], isSynced: isSynced ? true : nil) {
        try keys.set(
          ScheduleValue.bytes(new), forKey: key.name, expiry: expiry, durability: isSynced ? .synced : nil)
      }
      seen[key] = new
    case .setIfAbsent(let key, let size):
      let new = newNumber(size)
      let keys = try keys(of: key, store)
      try change(
        [(key, .set(new))], { try keys.setIfAbsent(ScheduleValue.bytes(new), forKey: key.name) },
        then: { [.setIfAbsent(new, isSet: $0)] })
    case .remove(let key):
      let keys = try keys(of: key, store)
      try change(
        [(key, .remove())], { try keys.remove(forKey: key.name) }, then: { [.remove(wasThere: $0)] })
    case .update(let key, let size):
      let new = newNumber(size)
      let keys = try keys(of: key, store)
      var old: Int?
      try change(
        [(key, .set(new))],
        { [shared] in
          try keys.update(forKey: key.name) { found in
            SchedulePoint.reach(.reading)
            old = found.flatMap { Self.number(of: $0, key, shared) }
            return ScheduleValue.bytes(new)
          }
        }, then: { _ in [.update(from: ScheduleValue.noted(old), to: new)] })
    case .compareAndSet(let key, let size):
      let new = newNumber(size)
      let keys = try keys(of: key, store)
      let expected = seen[key]
      try change(
        [(key, .set(new))],
        {
          try keys.compareAndSet(
            forKey: key.name, expected: expected.map(ScheduleValue.bytes), new: ScheduleValue.bytes(new))
        }, then: { [.compareAndSet(expected: ScheduleValue.noted(expected), new: new, isSet: $0)] })
    case .batch(let keys, let size): try changeTogether(keys, size, store)
    case .fill(let first, let count, let size, let isOfCollection):
      let keys = try keys(ofCollection: isOfCollection, store)
      for number in first..<first + count {
        try keys.set(ScheduleValue.bytes(newNumber(size)), forKey: "f\(number)")
      }
    case .thin(let first, let count, let isOfCollection):
      let keys = try keys(ofCollection: isOfCollection, store)
      for number in first..<first + count { try keys.remove(forKey: "f\(number)") }
    case .dictionary(let isOfCollection):
      let name = isOfCollection ? ScheduleStore.collectionName : nil
      try store.addDictionary(ScheduleValue.dictionary, toCollection: name)
    case .clear:
      let box = try store.collection(ScheduleStore.collectionName)
      try change(registers(ofAll: false).map { ($0, .remove()) }) { try box.removeAll() }
    case .drop:
      try change(registers(ofAll: false).map { ($0, .remove()) }) {
        try store.dropCollection(ScheduleStore.collectionName)
      }
    case .clearEverything:
      try change(registers(ofAll: true).map { ($0, .remove()) }) { try store.removeEverything() }
    case .read, .hold, .readMany, .iterate: try read(step, store)
    case .sync: try store.sync()
    case .compact: try store.compact()
    case .backup: try shared.backUp(store)
    case .checkpoint: try store.checkpoint()
    case .storeIndex: try store.storeIndex()
    case .wait: SchedulePoint.reach(.yielded)
    case .rest: shared.jobs.rest()
    case .reopen:
      try shared.close()
      try shared.open()
    }
  }

  /// Of several changes of one key the last one holds.
  private mutating func changeTogether(_ keys: [Key], _ size: Int, _ store: SedimentStore) throws {
    let box = try store.collection(ScheduleStore.collectionName)
    let changes = keys.map { (key: $0, number: newNumber(size)) }
    var last: [Key: Int] = [:]
    for change in changes { last[change.key] = change.number }
    try change(keys.filter { last[$0] != nil }.uniqued.map { ($0, .set(last[$0] ?? 0)) }) {
      try store.batch { batch in
        for change in changes {
          if change.key.isOfCollection {
            batch.set(ScheduleValue.bytes(change.number), forKey: change.key.name, in: box)
          } else {
            batch.set(ScheduleValue.bytes(change.number), forKey: change.key.name)
          }
        }
      }
    }
  }

  // MARK: Reads

  private mutating func read(_ step: ScheduleScript.Step, _ store: SedimentStore) throws {
    switch step {
    case .read(let key):
      let keys = try keys(of: key, store)
      let begin = log.now()
      let bytes = try keys.retrieve(forKey: key.name)
      note(bytes, of: key, since: begin)
    case .hold(let key, let stepCount):
      let keys = try keys(of: key, store)
      let begin = log.now()
      var end: OperationMoment?
      let bytes = try keys.withValue(forKey: key.name) { [log, shared] span in
        let bytes = [UInt8](sedimentBytes: span)
        end = log.now()
        for _ in 0..<stepCount { SchedulePoint.reach(.reading) }
        if [UInt8](sedimentBytes: span) != bytes {
          shared.find("\(key.name) changes while it is read in place")
        }
        return bytes
      }
      note(bytes, of: key, since: begin, until: end)
    case .readMany:
      let keys = registers(ofAll: true).filter { !$0.isOfCollection }
      let begin = log.now()
      let values = try store.retrieve(forKeys: keys.map(\.name))
      let end = log.now()
      for (key, value) in zip(keys, values) { note(value, of: key, since: begin, until: end) }
    default:
      guard case .iterate(let isOfCollection) = step else { return }
      let keys = try keys(ofCollection: isOfCollection, store)
      let begin = log.now()
      var found: [(String, [UInt8])] = []
      try keys.forEach { key, value in
        SchedulePoint.reach(.reading)
        found.append(
          (String(decoding: [UInt8](sedimentBytes: key), as: UTF8.self), [UInt8](sedimentBytes: value)))
        return .continue
      }
      let end = log.now()
      var names: Set<String> = []
      for (name, _) in found where !names.insert(name).inserted { shared.find("\(name) comes twice") }
      for key in registers(ofAll: true) where key.isOfCollection == isOfCollection {
        if let value = found.first(where: { $0.0 == key.name }), !shared.script.hasBatches {
          note(value.1, of: key, since: begin, until: end)
        }
      }
    }
  }

  private mutating func note(
    _ bytes: [UInt8]?, of key: Key, since begin: OperationMoment, until end: OperationMoment? = nil
  ) {
    let number = bytes.flatMap { Self.number(of: $0, key, shared) }
    if bytes != nil, number == nil { return }
    seen[key] = number
    note(.retrieve(ScheduleValue.noted(number)), on: key, from: begin, to: end ?? log.now())
  }

  private static func number(of bytes: [UInt8], _ key: Key, _ shared: ScheduleStore) -> Int? {
    let number = ScheduleValue.number(of: bytes)
    if number == nil { shared.find("\(key.name) has \(bytes.count) bytes that nobody wrote") }
    return number
  }

  /// Reads all keys once more.
  mutating func readAll() throws {
    guard let store = shared.store else { return }
    for key in registers(ofAll: true) { try read(.read(key), store) }
    shared.history.add(log)
    log = shared.history.log()
  }
}

extension [ScheduleScript.Key] {
  fileprivate var uniqued: [ScheduleScript.Key] {
    var known: Set<ScheduleScript.Key> = []
    return filter { known.insert($0).inserted }
  }
}
