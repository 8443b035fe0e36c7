import Foundation
import Sediment

extension Case {
  var backupPath: String { "\(folder)/backup.sediment" }

  func backUp(_ session: Session) throws {
    session.isBackingUp.isSet = true
    defer { session.isBackingUp.isSet = false }
    // A slow disk keeps what is to be copied for long.
    var pause = dice.one(weighted: [(2, 0), (1, 1_000), (1, 10_000)])
    let slowEnd = Clock.seconds + 1
    try session.watch.timed("backup", thread: -1, byteCount: 2 * FileSize(path).length) {
      try session.store.backup(to: backupPath) { _ in
        if Clock.seconds > slowEnd { pause = 0 }
        usleep(UInt32(pause))
        return .continue
      }
    }
    session.records.isSet = false
  }

  func backUpAtRest() throws {
    for worker in workers { worker.beginRecording() }
    try backUp(session)
    try compareBackup()
    for worker in workers { worker.endRecording() }
  }

  /// Compares the backup with what each thread knew at some moment since it was about to begin.
  func compareBackup() throws {
    let path = backupPath
    defer { try? FileManager.default.removeItem(atPath: path) }
    try verify(path, "backed up")
    let backup = try Session(path, settings, threadCount: plan.threadCount, findings, watch, Account())
    for worker in workers {
      let reader = Worker(thread: worker.thread, seed: seed, life: 1 << 20, backup)
      guard let model = try moment(of: worker, in: backup.store) else {
        findings.add(
          .backup,
          "the backup does not hold what thread \(worker.thread) had made at any of \(worker.log.count + 1) moments"
        )
        break
      }
      reader.model = model
      try reader.compareAll(of: model.spaces.keys.sorted())
    }
    try backup.close()
  }

  /// Saves what is whole of the closed file, which is all of it, and compares.
  func salvage() throws {
    let copy = "\(folder)/saved.sediment"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let report = try watch.timed("salvage", thread: -1, byteCount: 2 * FileSize(path).length) {
      try SedimentStore.salvage(from: path, to: copy)
    }
    if !report.isComplete {
      findings.add(.backup, "salvage of a sound file tells of losses: \(report.losses)")
    }
    let saved = try Session(copy, settings, threadCount: plan.threadCount, findings, watch, Account())
    for worker in workers {
      let reader = Worker(thread: worker.thread, seed: seed, life: 1 << 21, saved)
      reader.model = worker.model
      try reader.compareAll(of: reader.model.spaces.keys.sorted())
    }
    try saved.close()
  }

  private struct Place: Hashable {
    var space: String
    var key: Key
  }

  /// What a thread knew when the backup was as it is; nil if it never was.
  private func moment(of worker: Worker, in store: SedimentStore) throws -> Model? {
    guard var model = worker.snapshot else { return nil }
    let begin = Clock.now - 600_000
    let found = try signatures(of: worker.thread, in: store)
    let names = Set(store.collectionNames)
    let evicts = settings.evicts
    func differs(_ place: Place) -> Bool {
      let signature = found[place]
      guard let entry = model.spaces[place.space]?[place.key] else { return signature != nil }
      if signature == entry.value.signature { return false }
      let isOptional = evicts || entry.life.state(from: begin, to: Clock.now) != .present
      return signature != nil || !isOptional
    }
    func hasItsNames() -> Bool {
      let own = names.filter { $0.hasPrefix("thread \(worker.thread),") }
      return own == Set(model.collectionNames)
    }
    func all() -> Set<Place> {
      var places = Set(found.keys)
      for (space, contents) in model.spaces {
        for key in contents.entries.keys { places.insert(Place(space: space, key: key)) }
      }
      return places.filter(differs)
    }
    var different = all()
    for (changes, from, to) in worker.log {
      if different.isEmpty, hasItsNames() { return model }
      model.apply(changes, from: from, to: to)
      for change in changes {
        switch change {
        case .set(let space, let key, _, _), .remove(let space, let key), .live(let space, let key, _):
          let place = Place(space: space, key: key)
          if differs(place) { different.insert(place) } else { different.remove(place) }
        case .create: break
        default: different = all()
        }
      }
    }
    return different.isEmpty && hasItsNames() ? model : nil
  }

  private func signatures(of thread: Int, in store: SedimentStore) throws -> [Place: Value.Signature] {
    var found: [Place: Value.Signature] = [:]
    func add(_ space: String, _ keyspace: some SedimentKeyspace) throws {
      try keyspace.forEach { bytes, value in
        if let key = Key([UInt8](sedimentBytes: bytes)), key.thread == UInt8(thread) {
          found[Place(space: space, key: key)] = Value.Signature(value)
        }
        return .continue
      }
    }
    try add("", store)
    for name in store.collectionNames where name.hasPrefix("thread \(thread),") {
      try add(name, try store.collection(name))
    }
    return found
  }
}
