public import Sediment

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Brings lines, such as those of JSON or CSV, into a collection, and goes on where it stopped, whatever stopped it.
///
/// How far it has come is a value of the same store, in the same batch as the lines up to there. A crash loses both or
/// neither, so nothing has to be synced before the end, and no line is missed or brought in twice.
public struct Importer: Sendable {
  private let store: SedimentStore
  private let target: SedimentCollection
  private let imports: SedimentCollection
  private let name: String
  private let lineCountMax: Int
  /// A batch of the engine may have 256 MiB.
  private static let byteCountMax = 8 << 20

  /// How far an import has come.
  public struct Progress: Codable, Sendable, Hashable {
    /// Where the next line begins.
    public var offset: UInt64 = 0
    /// How many lines were read.
    public var lineCount = 0
  }

  /// Creates the import of that name into a collection; batches have so many lines at most.
  public init(_ store: SedimentStore, into collection: String, name: String, batchLineCount: Int = 1_000)
    throws
  {
    self.store = store
    self.name = name
    lineCountMax = max(1, batchLineCount)
    target = try store.collection(collection)
    imports = try store.collection("imports")
  }

  /// How far it has come, in this process or one before.
  public func progress() throws -> Progress {
    guard let data = try imports.retrieve(forKey: name, as: Data.self) else { return Progress() }
    return try JSONDecoder().decode(Progress.self, from: data)
  }

  /// Brings in all lines that are not yet there, each under the key that a closure finds in it, and returns once all are
  /// on the disk.
  ///
  /// Empty lines are left out. For a line without a key it throws a `LineError`, and what is before it stays, as far as
  /// whole batches go.
  @discardableResult
  public func run(_ source: some ImportSource, key: ([UInt8]) throws -> String) throws -> Progress {
    while try step(source, key: key) {}
    try store.sync()
    return try progress()
  }

  /// Brings in one batch of lines; false if there are no more.
  public func step(_ source: some ImportSource, key: ([UInt8]) throws -> String) throws -> Bool {
    var progress = try progress()
    let start = progress.offset
    var reader = LineReader(source, from: start)
    try store.batch(durability: .unsynced) { batch in
      var lineCount = 0
      while lineCount < lineCountMax, reader.offset - start < Self.byteCountMax, let line = try reader.next()
      {
        lineCount += 1
        progress.lineCount += 1
        if line.isEmpty { continue }
        do {
          batch.set(line, forKey: try key(Array(line)), in: target)
        } catch {
          throw LineError(line: progress.lineCount, reason: "\(error)")
        }
      }
      progress.offset = reader.offset
      batch.set(try JSONEncoder().encode(progress), forKey: name, in: imports)
    }
    return progress.offset > start
  }
}

/// A line that cannot be brought in.
public struct LineError: Error, Equatable, CustomStringConvertible {
  /// The line's number, from 1 on.
  public let line: Int
  /// What is wrong with it.
  public let reason: String

  /// What happened, and what to do.
  public var description: String { "Line \(line) has no key: \(reason). Mend it, and run the import again." }
}
