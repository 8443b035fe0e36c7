internal import SedimentDisk
internal import SedimentFormat

extension SedimentError.Code {
  /// The store was closed before.
  public static let closed = Self(description: "closed")
  /// The file is open elsewhere, in another process or in this one.
  public static let locked = Self(description: "locked")
  /// The process is a fork of the one that opened the store, and cannot use it.
  public static let forked = Self(description: "forked")
  /// The store was opened for reading.
  public static let readOnly = Self(description: "readOnly")
  /// A key, value or batch is larger than a store takes.
  public static let tooLarge = Self(description: "tooLarge")
  /// A write or sync failed: changes that were not synced before may be lost, and the store takes no further changes.
  public static let outcomeUnknown = Self(description: "outcomeUnknown")
  /// An argument is not possible: a name, an option, or a collection of another store.
  public static let invalidArgument = Self(description: "invalidArgument")
  /// The collection was dropped before.
  public static let collectionDropped = Self(description: "collectionDropped")
  /// The caller stopped the call.
  ///
  /// No key or value was lost.
  public static let cancelled = Self(description: "cancelled")
  /// The type that was asked for cannot be made of the value's bytes.
  public static let undecodable = Self(description: "undecodable")
}

extension SedimentError {
  /// Whether something could not be read, for good or this time.
  var isOfReading: Bool { code == .damaged || systemError?.operation == .read }

  static func closed(_ path: String) -> SedimentError {
    SedimentError(.closed, path: path, message: "The store was closed. Open it again to use it.")
  }

  static func forked(_ path: String) -> SedimentError {
    SedimentError(
      .forked, path: path,
      message: "The store belongs to the process that this one was forked from. Open it only after the fork.")
  }

  static func readOnly(_ path: String) -> SedimentError {
    SedimentError(
      .readOnly, path: path,
      message: "The store was opened for reading. Open it without readOnly to change it.")
  }

  static func fileTooLarge(_ path: String) -> SedimentError {
    SedimentError(
      .outOfSpace, path: path,
      message: "The file has reached the largest size that the format or the disk allows. Remove something.")
  }

  static func capReached(_ path: String, _ byteCount: UInt64) -> SedimentError {
    let least = byteCount < 512 << 10 ? ": half a MiB is the least that makes sense" : ""
    return SedimentError(
      .outOfSpace, path: path,
      message: "The file may take \(byteCount) bytes and is full. Remove something, or allow it more\(least)."
    )
  }

  static func cancelled(_ path: String) -> SedimentError {
    SedimentError(
      .cancelled, path: path, message: "It was stopped before its end. Begin it again when it suits.")
  }

  static func dropped(_ path: String) -> SedimentError {
    SedimentError(
      .collectionDropped, path: path,
      message: "The collection was dropped. Ask the store for it again to make a new one.")
  }

  static func tooLarge(_ path: String, what: String, byteCount: Int, limit: Int) -> SedimentError {
    SedimentError(
      .tooLarge, path: path,
      message: "A \(what) of \(byteCount) bytes is larger than the limit of \(limit) bytes. Split it.")
  }

  static func undecodable(_ path: String, _ type: Any.Type) -> SedimentError {
    SedimentError(
      .undecodable, path: path, message: "The value is not a \(type). Retrieve it as bytes to look at it.")
  }

  /// The error that every later change throws once a write or sync failed.
  init(poisonedBy error: SedimentError) {
    self.init(
      .outcomeUnknown, path: error.path, offset: error.offset, systemError: error.systemError?.cause,
      message: Self.poisoned)
  }

  private static let poisoned =
    "The disk failed, and what was not synced before may be lost. Close the store, look after the disk, and open "
    + "it again; reading goes on until then."

  /// The error of a record that a read found damaged.
  static func damagedRecord(_ path: String, offset: UInt64) -> SedimentError {
    SedimentError(
      .damaged, path: path, offset: offset,
      message: "A record is damaged. Other keys can be read; restore a backup, or salvage the file.")
  }
}
