/// What `SedimentStore.salvage` saved, and what was lost.
public struct SalvageReport: Hashable, Sendable {
  /// How much was known about what the file should hold.
  public internal(set) var knowledge = Knowledge.none
  /// How many keys the new file has, without uncertain ones.
  public internal(set) var keyCount: UInt64 = 0
  /// The bytes of these keys and of their values.
  public internal(set) var byteCount: UInt64 = 0
  /// The parts of the file that could not be read, in its order.
  public internal(set) var losses: [Loss] = []
  /// How many values are not in the new file because they were damaged.
  ///
  /// A key whose record tells it is left out then. Where a record is damaged itself, nobody knows its key for certain: that
  /// has an older value, or none, and the lost value may have been replaced later.
  public internal(set) var lostValueCount: UInt64 = 0
  /// How many batches lack changes; the changes of them that were found are in the new file.
  public internal(set) var brokenBatchCount: UInt64 = 0
  /// How many keys are uncertain: they were found only in parts of the file that the store does not use, so they may
  /// have been removed.
  public internal(set) var uncertainKeyCount: UInt64 = 0
  /// The names that were made up for collections whose own names were lost.
  public internal(set) var inventedNames: [String] = []

  init() {}

  /// Whether nothing was lost.
  public var isComplete: Bool {
    knowledge == .whole && losses.isEmpty && lostValueCount == 0 && brokenBatchCount == 0
  }

  /// How much is known about what a file should hold.
  public enum Knowledge: Sendable {
    /// All of it. Keys that were removed stay so, unless the record of the removal was lost.
    case whole
    /// What it held up to some change. Later changes are those that were found.
    case partial
    /// Nothing. The changes are those that were found.
    case none
  }

  /// A part of the file that could not be read, with what was lost by that.
  public struct Loss: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the file.
    public let range: Range<UInt64>
    /// What is wrong with the bytes.
    public let reason: String
    /// The numbers of the changes that are missing; nil if they are not known.
    ///
    /// A key that such a change set has the value of an earlier change, and one that it removed is back.
    public let sequences: ClosedRange<UInt64>?

    /// The bytes, the changes and the reason.
    public var description: String {
      let changes = sequences.map { ", changes \($0.lowerBound) to \($0.upperBound)" } ?? ""
      return "bytes \(range.lowerBound)..<\(range.upperBound)\(changes): \(reason)"
    }
  }
}
