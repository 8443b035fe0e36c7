/// What must hold for a change to be made.
@usableFromInline
enum WriteCondition {
  case always
  /// The key has no value.
  case absent
  /// The key has a value.
  case present
  /// The newest record of the key is still the one of this sequence, 0 for none that is visible.
  ///
  /// Its place may have changed: compaction moves records.
  case unchanged(UInt64)
}

/// How long a value is to be there, as a record says it.
@usableFromInline
enum WrittenExpiry {
  /// In milliseconds since 1970, 0 for ever.
  case at(UInt64)
  /// As long as the value before.
  case unchanged
}
