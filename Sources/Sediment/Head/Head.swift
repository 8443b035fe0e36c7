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
    try HeadSurvey(file).head()
  }
}

/// The two superblocks of a file, each as it is, whether the file can be opened or not.
struct HeadSurvey {
  let copies: [(copy: Superblock.Copy, state: State)]
  private let path: String

  enum State {
    case sound(Superblock)
    case unsound(FormatError)
    case unreadable(SedimentError)
  }

  init(_ file: StoreFile) {
    path = file.path
    copies = Superblock.Copy.allCases.map { ($0, Self.read($0, file)) }
  }

  private static func read(_ copy: Superblock.Copy, _ file: StoreFile) -> State {
    let bytes: [UInt8]
    do throws(SedimentError) {
      bytes = try file.bytes(at: copy.byteOffset, count: Superblock.byteCount)
    } catch {
      return .unreadable(error)
    }
    do throws(FormatError) {
      return .sound(try Superblock.decode(unsafe bytes.span.bytes, copy: copy))
    } catch {
      return .unsound(error)
    }
  }

  /// The sound ones, the one that leads first.
  var sound: [Superblock] {
    copies.compactMap { if case .sound(let block) = $0.state { block } else { nil } }
      .sorted { $0.generation > $1.generation }
  }

  private var unsound: [(copy: Superblock.Copy, error: FormatError)] {
    copies.compactMap { if case .unsound(let error) = $0.state { ($0.copy, error) } else { nil } }
  }

  /// Whether neither even begins like one.
  var isAbsent: Bool {
    unsound.count == copies.count && unsound.allSatisfy { $0.error.fault == .absent }
  }

  /// Whether one of them at least begins like one.
  var isThere: Bool { !sound.isEmpty || unsound.contains { $0.error.fault != .absent } }

  /// Throws for one that cannot be read.
  func checkReadable() throws(SedimentError) {
    for (_, state) in copies {
      if case .unreadable(let error) = state { throw error }
    }
  }

  /// Throws for a file of a newer version, which is never taken for damaged.
  func checkVersion() throws(SedimentError) {
    for (copy, error) in unsound {
      if case .newer = error.fault { throw SedimentError(error, path: path, offset: copy.byteOffset) }
    }
  }

  /// The head that an opening goes by: newer before damaged before foreign where there is none.
  func head() throws(SedimentError) -> Head {
    try checkReadable()
    try checkVersion()
    guard let leading = sound.first else {
      guard let (copy, error) = unsound.first(where: { $0.error.fault != .absent }) else {
        throw .foreign(path)
      }
      throw SedimentError(error, path: path, offset: copy.byteOffset)
    }
    guard let other = sound.dropFirst().first else { return Head(leading: leading, other: nil) }
    guard leading.identity == other.identity, leading.lineage == other.lineage,
      leading.generation != other.generation
    else {
      throw .damaged(
        "the two superblocks contradict each other", path: path, offset: Superblock.Copy.second.byteOffset)
    }
    return Head(leading: leading, other: other)
  }
}
