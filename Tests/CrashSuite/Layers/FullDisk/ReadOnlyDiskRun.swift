import Sediment

/// A store on a file system that nobody may write to.
enum ReadOnlyDiskRun {
  static func run(_ options: SedimentOptions, isCopied: Bool) throws {
    let disk = try SmallDisk(byteCount: 4 << 20)
    let path = disk["store.sediment"]
    try fill(path, options, copy: isCopied ? disk["copy.sediment"] : nil)
    try disk.makeReadOnly(true)
    for name in isCopied ? ["store.sediment", "copy.sediment"] : ["store.sediment"] {
      var reading = options
      reading.readOnly = true
      let reader = try SedimentStore(path: disk[name], options: reading)
      for number in 0..<100 {
        try expect(reader.retrieve(forKey: "\(number)", as: String.self) == "value \(number)", "a value")
      }
      try expect(reader.retrieve(forKey: "large")?.count == 200_000, "a large value")
      try expect(code { try reader.set("1", forKey: "1") } == .readOnly, "a change of what is only read")
      try reader.close()
      try expect(SedimentStore.verify(path: disk[name]).isIntact, "verification")
      let opening = code { _ = try SedimentStore(path: disk[name], options: options) }
      try expect(opening == .accessDenied, "opening for writing is \(opening.map { "\($0)" } ?? "allowed")")
    }
    let creation = code { _ = try SedimentStore(path: disk["new.sediment"], options: options) }
    try expect(creation == .accessDenied, "creating is \(creation.map { "\($0)" } ?? "allowed")")
    try disk.makeReadOnly(false)
    let again = try SedimentStore(path: path, options: options)
    try again.set("1", forKey: "1")
    try expect(again.count() == 101, "all is there once it may be written to")
    try again.close()
  }

  /// Makes a store with some values and, where a copy is asked for, that as well.
  ///
  /// With the store goes its memory, without which a file system does not become read-only.
  private static func fill(_ path: String, _ options: SedimentOptions, copy: String?) throws {
    let store = try SedimentStore(path: path, options: options)
    for number in 0..<100 { try store.set("value \(number)", forKey: "\(number)") }
    try store.set([UInt8](repeating: 7, count: 200_000), forKey: "large")
    if let copy { try store.backup(to: copy) }
    try store.close()
  }

  private static func code(_ body: () throws -> Void) -> SedimentError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? SedimentError)?.code
    }
  }

  private static func expect(_ isSo: Bool, _ what: String) throws {
    if !isSo { throw FullDiskRun.Mistake(description: "on a read-only file system: \(what)") }
  }
}
