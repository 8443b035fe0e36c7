/// What every storage may fail with, told apart.
public enum StorageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The key has no value.
  case noValue
  /// The storage cannot do that.
  case notSupported(StorageAbility, storageName: String)
  /// The storage, of a user's own, answered a batch with more results than keys, or fewer: nobody knows whose they are.
  case wrongResultCount(Int, keyCount: Int, storageName: String)

  /// What it is, and what to do about it.
  public var description: String {
    switch self {
    case .noValue: "There is no value for this key."
    case .notSupported(let ability, let storageName):
      "The storage \"\(storageName)\" does not support \(ability.rawValue); \(ability.remedy)"
    case .wrongResultCount(let count, let keyCount, let storageName):
      "The storage \"\(storageName)\" answered with \(count) results for \(keyCount) keys; see that its "
        + "answer(forKeys:) has one result for each key, in their order."
    }
  }
}

/// What not every storage can do.
public enum StorageAbility: String, Sendable, Hashable {
  /// Taking the value of one key away.
  case removing = "removing a value"
  /// Taking all values away.
  case removingAll = "removing all values"
  /// Values that cease to be there at some time.
  case expiry = "values that expire"
  /// Changing a value as if nobody else came in between.
  case atomicUpdate = "atomic updates"
  /// Telling all keys.
  case keys = "listing its keys"

  var remedy: String {
    switch self {
    case .removing: "implement remove(forKey:completion:) in it, or remove from the other tiers one by one."
    case .removingAll: "implement removeAll(completion:) in it, or clear the other tiers one by one."
    case .expiry: "LRUStorage and SedimentStorage have values that expire."
    case .atomicUpdate: "LRUStorage, MemoryStorage and SedimentStorage have them, also beneath transforms."
    case .keys:
      "LRUStorage, MemoryStorage, SedimentStorage and a DiskFolderStorage with an encoder of this library know "
        + "theirs, and so do transforms that can be undone."
    }
  }
}
