package import SedimentFormat

/// The two superblocks of a file, read and weighed (DESIGN.md 7, step 2).
package struct Head: Sendable {
  /// The sound copy of the higher generation.
  package let leading: Superblock
  /// The other copy, if it is sound.
  package let other: Superblock?

  /// The highest log position that either copy knows to be on the medium.
  package var watermark: LogPosition {
    max(leading.watermark, other?.watermark ?? leading.watermark)
  }

  /// Whether nothing was written to the file since it was created.
  ///
  /// Then whoever created it may have died before the file's name was on the disk.
  package var isAsCreated: Bool {
    leading.generation.rawValue <= EmptyStoreImage.leadingGeneration.rawValue
  }

  /// Reads the head of an open file, and nothing else of it.
  package static func read(from file: StoreFile) throws(SedimentError) -> Head {
    let first = try readCopy(.first, from: file)
    let second = try readCopy(.second, from: file)
    return try weigh(first, second, path: file.path)
  }

  /// What reading one copy came to.
  private enum Finding {
    case sound(Superblock)
    case unsound(FormatError)
  }

  private static func readCopy(_ copy: Superblock.Copy, from file: StoreFile) throws(SedimentError)
    -> Finding
  {
    let bytes = try file.bytes(at: copy.byteOffset, count: Superblock.byteCount)
    do throws(FormatError) {
      return .sound(try Superblock.decode(unsafe bytes.span.bytes, copy: copy))
    } catch {
      return .unsound(error)
    }
  }

  private static func weigh(_ first: Finding, _ second: Finding, path: String) throws(SedimentError) -> Head {
    switch (first, second) {
    case (.sound(let first), .sound(let second)):
      guard first.identity == second.identity, first.lineage == second.lineage,
        first.generation != second.generation
      else {
        throw SedimentError(
          .damaged, path: path, offset: second.copy.byteOffset,
          message:
            "The two superblocks contradict each other. Keep the file as it is; restore a backup, or salvage it."
        )
      }
      return first.generation > second.generation
        ? Head(leading: first, other: second) : Head(leading: second, other: first)
    case (.sound(let leading), .unsound(let error)), (.unsound(let error), .sound(let leading)):
      if case .newer = error.fault {
        throw SedimentError(error, path: path, offset: leading.copy.other.byteOffset)
      }
      return Head(leading: leading, other: nil)
    case (.unsound(let first), .unsound(let second)):
      throw failure(first, second, path: path)
    }
  }

  /// The error for a file without a sound superblock: newer before damaged before foreign.
  private static func failure(_ first: FormatError, _ second: FormatError, path: String) -> SedimentError {
    for (error, copy) in [(first, Superblock.Copy.first), (second, .second)] {
      if case .newer = error.fault { return SedimentError(error, path: path, offset: copy.byteOffset) }
    }
    for (error, copy) in [(first, Superblock.Copy.first), (second, .second)] where error.fault != .absent {
      return SedimentError(error, path: path, offset: copy.byteOffset)
    }
    return SedimentError(
      .foreign, path: path,
      message: "It is not a file of Sediment. Check the path; the file was left as it is.")
  }
}
