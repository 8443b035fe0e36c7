internal import CSedimentInterface
internal import Sediment

extension SedimentOptions {
  /// The options that a structure of the caller's says; null stands for the defaults.
  init(_ options: UnsafePointer<sediment_options>?) throws(Refusal) {
    self.init()
    guard let options = unsafe options else { return }
    unsafe try checkSize(sediment_options.self, options.pointee.size, "options")
    unsafe try self.init(options.pointee)
  }

  private init(_ options: sediment_options) throws(Refusal) {
    unsafe try Self.checkVersion(options.version)
    let flags = unsafe options.flags
    try checkFlags(
      flags,
      among: SEDIMENT_READ_ONLY_ACCESS.rawValue | SEDIMENT_MUST_EXIST.rawValue | SEDIMENT_UNMAPPED.rawValue
        | SEDIMENT_UNVERIFIED_READS.rawValue | SEDIMENT_NO_STORED_INDEX.rawValue)
    let durability = unsafe try SedimentDurability(options.durability, interval: options.interval, "options")
    unsafe self.init(
      durability: durability ?? .interval(.seconds(1)), mustExist: flags & SEDIMENT_MUST_EXIST.rawValue != 0,
      readOnly: flags & SEDIMENT_READ_ONLY_ACCESS.rawValue != 0, permissions: try Self.permissions(options),
      access: flags & SEDIMENT_UNMAPPED.rawValue != 0 ? .unmapped : .automatic,
      verifiesReads: flags & SEDIMENT_UNVERIFIED_READS.rawValue == 0,
      capacity: try Self.capacity(options), compaction: try Self.compaction(options),
      compression: try Self.compression(options), storesIndex: flags & SEDIMENT_NO_STORED_INDEX.rawValue == 0,
      observer: eventObserver(options))
  }

  private static func checkVersion(_ version: UInt32) throws(Refusal) {
    let library = UInt32(SEDIMENT_VERSION_NUMBER)
    guard version != 0 else { throw .misuse("options.version is 0. Begin with SEDIMENT_OPTIONS_INIT.") }
    guard version / 1_000_000 == library / 1_000_000, version / 1_000 <= library / 1_000 else {
      throw Refusal(
        status: SEDIMENT_VERSION_MISMATCH,
        message:
          "The program was compiled for version \(version) of the library, and this is \(library). Compile it"
          + " with this library's header, or let it load its own library.")
    }
  }

  private static func permissions(_ options: sediment_options) throws(Refusal) -> UInt16 {
    let mode = unsafe options.mode
    if mode == 0 { return 0o600 }
    guard let permissions = UInt16(exactly: mode), permissions & 0o600 == 0o600, permissions <= 0o777 else {
      throw .misuse("options.mode is 0\(String(mode, radix: 8)). Set 0, or one from 0600 to 0777.")
    }
    return permissions
  }

  private static func capacity(_ options: sediment_options) throws(Refusal) -> SedimentCapacity {
    let byteCount = unsafe options.capacity_bytes
    switch unsafe options.capacity {
    case Int32(SEDIMENT_UNLIMITED.rawValue):
      guard byteCount == 0 else {
        throw .misuse("options.capacity_bytes is set, and options.capacity is not. Set both or none.")
      }
      return .unlimited
    case Int32(SEDIMENT_LIMITED.rawValue): return .limited(maxBytes: byteCount)
    case Int32(SEDIMENT_EVICTING.rawValue): return .evicting(maxBytes: byteCount)
    case let other: throw .unknown("options.capacity", other)
    }
  }

  private static func compaction(_ options: sediment_options) throws(Refusal) -> SedimentCompaction {
    switch unsafe options.compaction {
    case Int32(SEDIMENT_COMPACTION_AUTOMATIC.rawValue): .automatic
    case Int32(SEDIMENT_COMPACTION_MANUAL.rawValue): .manual
    case Int32(SEDIMENT_COMPACTION_OFF.rawValue): .off
    case let other: throw .unknown("options.compaction", other)
    }
  }

  private static func compression(_ options: sediment_options) throws(Refusal) -> SedimentCompression {
    let level = unsafe options.compression_level
    if unsafe options.compression == Int32(SEDIMENT_COMPRESSION_ZSTD.rawValue) {
      guard (1...19).contains(level) else {
        throw .misuse("options.compression_level is \(level). Set one from 1 to 19.")
      }
      return .zstd(level: Int(level))
    }
    guard level == 0 else {
      throw .misuse(
        "options.compression_level is set, which only SEDIMENT_COMPRESSION_ZSTD takes. Set it to 0.")
    }
    switch unsafe options.compression {
    case Int32(SEDIMENT_COMPRESSION_AUTOMATIC.rawValue): return .automatic
    case Int32(SEDIMENT_COMPRESSION_OFF.rawValue): return .off
    case let other: throw .unknown("options.compression", other)
    }
  }
}

extension SedimentDurability {
  /// The durability of a structure of the caller's; nil if it leaves that to others.
  init?(_ number: Int32, interval: Int64, _ structure: String) throws(Refusal) {
    if number == Int32(SEDIMENT_INTERVAL.rawValue) {
      guard interval > 0 else {
        throw .misuse("\(structure).interval is \(interval). Set at least 1 millisecond.")
      }
      self = .interval(.milliseconds(interval))
      return
    }
    guard interval == 0 else {
      throw .misuse("\(structure).interval is set, which only SEDIMENT_INTERVAL takes. Set it to 0.")
    }
    switch number {
    case Int32(SEDIMENT_DURABILITY_DEFAULT.rawValue): return nil
    case Int32(SEDIMENT_UNSYNCED.rawValue): self = .unsynced
    case Int32(SEDIMENT_SYNCED.rawValue): self = .synced
    default: throw .unknown("\(structure).durability", number)
    }
  }
}

extension Refusal {
  /// A number that an enumeration of the header does not have.
  static func unknown(_ name: String, _ number: Int32) -> Refusal {
    .misuse("\(name) is \(number), which the header does not name. Set one of its values.")
  }
}
