/// What a record says.
@usableFromInline package enum RecordKind: UInt8, Sendable, CaseIterable {
  /// A key has a value, which the record holds.
  case put = 1
  /// A key has no value.
  case remove = 2
  /// A key has a value, of which the record says where it lies.
  case putLarge = 3
  /// Something about the log or the catalogue.
  case control = 4
}
