import FuzzStores
import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// What a released version wrote is opened, changed and compacted for ever: chapter 11 of the design.
struct KeptFilesTests {
  private static let path = "data/kept"

  private func open(
    _ disk: SimulatedDisk, _ options: SedimentOptions, path: String = path
  ) throws -> SedimentStore {
    try SedimentStore(path: path, options: options, disk: disk, background: ManualBackground())
  }

  private func options(
    _ access: SedimentOptions.Access, readOnly: Bool = false, storesIndex: Bool = true
  ) -> SedimentOptions {
    SedimentOptions(
      durability: .unsynced, mustExist: true, readOnly: readOnly, access: access, storesIndex: storesIndex)
  }

  /// Holds all that a store gives against contents, of which it does not show what has expired.
  private func expect(
    _ store: SedimentStore, _ contents: StoreContents, at clock: UInt64, _ comment: Comment,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let reading = StoreReading(store, known: contents.places)
    let isSame = reading.contents == contents.visible(at: clock)
    #expect(isSame, comment, sourceLocation: sourceLocation)
    #expect(reading.errors.isEmpty && reading.contradictions.isEmpty, comment, sourceLocation: sourceLocation)
  }

  /// Replaces, removes and adds keys of all collections, by single changes and in a batch.
  private func change(_ store: SedimentStore, _ contents: inout StoreContents) throws {
    let names = contents.collections.keys.sorted()
    for name in names {
      let place = try name.isEmpty ? store.defaultCollection : store.collection(name)
      let keys = contents.collections[name]!.keys.sorted { $0.lexicographicallyPrecedes($1) }
      for (number, key) in keys.enumerated() where number % 3 == 0 {
        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 300)
        try place.set(value, forKey: key)
        contents.collections[name]![key] = StoreContents.Entry(value: value)
      }
      for (number, key) in keys.enumerated() where number % 5 == 1 {
        try place.remove(forKey: key)
        contents.collections[name]![key] = nil
      }
    }
    if let name = names.last, !name.isEmpty {
      try store.dropCollection(name)
      contents.collections[name] = nil
    }
    let later = try store.collection("later")
    try store.batch { batch in
      for number in 0..<20 { batch.set("later \(number)", forKey: "\(number)", in: later) }
      batch.set([UInt8](repeating: 9, count: 150_000), forKey: "large")
    }
    contents.collections["later"] = [:]
    for number in 0..<20 {
      contents[StoreContents.Place("\(number)", in: "later")] = .init(value: Array("later \(number)".utf8))
    }
    contents[StoreContents.Place("large")] = .init(value: [UInt8](repeating: 9, count: 150_000))
  }

  @Test func `Every file that is kept is tried`() throws {
    for version in Set(KeptFile.all.map(\.version)) {
      let tried = KeptFile.all.filter { $0.version == version }.map(\.name)
      #expect(try KeptFile.names(of: version) == Set(tried))
    }
  }

  @Test(arguments: KeptFile.all)
  func `A kept file is of its kind, and reading it changes nothing`(kept: KeptFile) throws {
    let disk = try kept.disk(at: Self.path)
    let (contents, clock) = try kept.manifest()
    #expect(contents.collections.values.contains { !$0.isEmpty })
    let bytes = disk.contents(of: Self.path)
    let report = try SedimentStore.verify(path: Self.path, on: disk)
    #expect(report.isIntact, "\(report.findings)")
    #expect(Set(report.segments.filter(\.isInUse).map(\.kind)) == kept.kinds)
    for access in accesses {
      for storesIndex in [true, false] {
        let store = try open(disk, options(access, readOnly: true, storesIndex: storesIndex))
        #expect(store.recovery.wasClosed == kept.wasClosed)
        #expect((store.statistics.dictionaryCount > 0) == kept.hasDictionaries)
        expect(store, contents, at: clock, "\(access), \(storesIndex)")
        try store.close()
      }
    }
    let isUntouched = disk.contents(of: Self.path) == bytes
    #expect(isUntouched)
  }

  @Test(arguments: KeptFile.all, accesses)
  func `A kept file takes changes, is compacted, and keeps both`(
    kept: KeptFile, access: SedimentOptions.Access
  ) throws {
    let disk = try kept.disk(at: Self.path)
    var (contents, clock) = try kept.manifest()
    let store = try open(disk, options(access))
    expect(store, contents, at: clock, "opened")
    try change(store, &contents)
    expect(store, contents, at: clock, "changed")

    let killed = try open(disk.afterProcessDeath(), options(access))
    expect(killed, contents, at: clock, "killed")
    try killed.close()

    try store.compact()
    expect(store, contents, at: clock, "compacted")
    try store.backup(to: "data/copy")
    try store.close()
    for path in [Self.path, "data/copy"] {
      let report = try SedimentStore.verify(path: path, on: disk)
      #expect(report.isIntact, "\(report.findings)")
      let again = try open(disk, options(access), path: path)
      expect(again, contents, at: clock, "\(path), opened again")
      try again.close()
    }
  }

  @Test(arguments: KeptFile.all)
  func `A kept file is salvaged as a whole`(kept: KeptFile) throws {
    let disk = try kept.disk(at: Self.path)
    let (contents, clock) = try kept.manifest()
    let report = try SedimentStore.salvage(from: Self.path, to: "data/saved", on: disk)
    #expect(report.isComplete, "\(report.losses)")
    let store = try open(disk, options(.automatic), path: "data/saved")
    expect(store, contents, at: clock, "salvaged")
    try store.close()
  }

  @Test(arguments: KeptFile.all.filter { $0.byteCountMax != nil })
  func `A kept file with a capacity keeps it`(kept: KeptFile) throws {
    let disk = try kept.disk(at: Self.path)
    let (contents, _) = try kept.manifest()
    var options = options(.automatic)
    options.capacity = kept.capacity
    let store = try open(disk, options)
    let keys = contents.collections[""]!.keys.sorted { $0.lexicographicallyPrecedes($1) }
    for key in keys.prefix(keys.count * 2 / 3) { #expect(try store.remove(forKey: key)) }
    try store.sync()
    for key in keys.suffix(2) { try store.set([UInt8](repeating: 1, count: 2000), forKey: key) }
    #expect(store.statistics.fileByteCount <= kept.byteCountMax ?? 0)
    for key in keys.suffix(2) { #expect(try store.retrieve(forKey: key)?.count == 2000) }
    try store.close()
  }

  @Test func `What expires in a kept file does so at its time`() throws {
    let kept = try #require(KeptFile.all.first { $0.name == "expiring" })
    let (contents, start) = try kept.manifest()
    var counts: Set<Int> = []
    for seconds in [0, 7000, 80_000, 700_000, 8_700_000, 87_000_000] as [UInt64] {
      let disk = try kept.disk(at: Self.path)
      let clock = start + seconds * 1000
      disk.setWallClock(to: clock)
      let store = try open(disk, options(.automatic))
      expect(store, contents, at: clock, "after \(seconds) s")
      counts.insert(try store.count())
      try store.compact()
      expect(store, contents, at: clock, "compacted after \(seconds) s")
      try store.close()
    }
    #expect(counts.count == 5)
  }
}
