import Sediment

/// What is done to a store whose disk is nearly full.
enum FullDiskOperation: CaseIterable {
  case create, set, setLarge, batch, update, setIfAbsent, setExpiry, newCollection
  case remove, clear, drop, removeEverything
  case sync, checkpoint, storeIndex, compact, backup, close, open, recover

  /// Whether it may be refused for want of room; what gives room back, ends or begins may not.
  var mayBeRefused: Bool {
    switch self {
    case .create, .set, .setLarge, .batch, .update, .setIfAbsent, .setExpiry, .newCollection, .backup: true
    case .remove, .clear, .drop, .removeEverything, .sync, .checkpoint, .storeIndex, .compact, .close, .open,
      .recover:
      false
    }
  }

  /// How often it is done in a row.
  var repetitionCount: Int {
    switch self {
    case .set, .batch, .update, .setIfAbsent, .setExpiry: 60
    case .setLarge, .newCollection: 6
    case .remove: 25
    case .sync, .checkpoint, .compact: 3
    default: 1
    }
  }
}
