/// What salvaging a file saved, and what was lost.
public struct SalvageReport: Hashable, Sendable {
  /// How much was known of what the file should hold.
  public internal(set) var knowledge = Knowledge.none
  /// The keys of the new file, those that may have been removed not among them.
  public internal(set) var keyCount: UInt64 = 0
  /// The bytes of these keys and of their values.
  public internal(set) var byteCount: UInt64 = 0
  /// What could not be read, in the order of the file.
  public internal(set) var losses: [Loss] = []
  /// The keys whose newest value was not whole; they are not in the new file, also not with an older value.
  public internal(set) var lostValueCount: UInt64 = 0
  /// The batches of which changes are missing; those that were found are in the new file.
  public internal(set) var brokenBatchCount: UInt64 = 0
  /// The keys that only parts of the file hold which do not belong to the store any more, or never did: they may have
  /// been removed.
  public internal(set) var uncertainKeyCount: UInt64 = 0
  /// The names of the new file's collections that nothing told the names of.
  public internal(set) var inventedNames: [String] = []

  init() {}

  /// Whether the new file holds all that the old one did.
  public var isComplete: Bool {
    knowledge == .whole && losses.isEmpty && lostValueCount == 0 && brokenBatchCount == 0
  }

  /// How much was known of what a file should hold.
  public enum Knowledge: Sendable {
    /// All of it: what was removed stays so, unless the record that removed it was lost.
    case whole
    /// What it held up to some change; what came later was put together from what was found.
    case partial
    /// Nothing: all was put together from what was found.
    case none
  }

  /// Bytes of the file whose changes were lost.
  public struct Loss: Hashable, Sendable, CustomStringConvertible {
    /// Where they are.
    public let range: Range<UInt64>
    /// What is wrong with them.
    public let reason: String
    /// The numbers of the changes that are missing, as far as they are known.
    ///
    /// Keys that they changed have the value of an earlier change, or came back if they were removed.
    public let sequences: ClosedRange<UInt64>?

    /// The place, the reason and the numbers.
    public var description: String {
      let changes = sequences.map { ", changes \($0.lowerBound) to \($0.upperBound)" } ?? ""
      return "bytes \(range.lowerBound)..<\(range.upperBound)\(changes): \(reason)"
    }
  }
}
