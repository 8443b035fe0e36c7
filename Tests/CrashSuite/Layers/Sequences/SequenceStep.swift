import CrashModel
import Sediment

/// A step of a sequence; each is one thing that a store can go through, with the few operations that bring it about.
enum SequenceStep: Int, CaseIterable {
  case set
  case remove
  case batch
  case sync
  case compact
  /// A segment is emptied, freed and used again.
  case recycle
  /// A value for which the file must grow.
  case grow
  /// A value expires, so long ago at last that compaction may leave it out; another has a day to live, which a clock
  /// does not change that is wrong for one sync.
  case expire
  case close

  /// All steps change the same few keys, so that each has something to do with what came before it.
  var operations: [CrashOperation] {
    switch self {
    case .set: [.set(Self.key, byteCount: 24, .unsynced)]
    case .remove: [.remove(Self.key, .unsynced)]
    case .batch:
      [.batch([(Self.key, 24), (.init("key-1"), nil), (.init("key-0", in: "a"), 24)], .unsynced)]
    case .sync: [.sync]
    case .compact: [.compact]
    case .recycle:
      Array(repeating: .set(Self.ballast, byteCount: 7900, .unsynced), count: 4)
        + [.compact, .sync] + Array(repeating: .set(Self.ballast, byteCount: 7900, .unsynced), count: 3)
    case .grow: [.set(.init("key-3"), byteCount: 40_000, .unsynced)]
    case .expire:
      [
        .jump(.seconds(31_536_000)), .sync, .jump(.seconds(-31_536_000)),
        .set(Self.key, byteCount: 24, lifetime: .milliseconds(30), .unsynced),
        .set(.init("key-1", in: "a"), byteCount: 24, lifetime: .seconds(86_400), .unsynced), .sync,
      ]
        + Array(repeating: [.pass(.seconds(660)), .sync], count: 3).joined()
    case .close: [.reopen]
    }
  }

  private static let key = CrashOperation.Place("key-0")
  private static let ballast = CrashOperation.Place("key-2")
}
