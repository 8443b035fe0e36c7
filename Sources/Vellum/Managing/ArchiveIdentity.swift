/// What those get who access the archive of an object of a class.
public enum ArchiveIdentity: Sendable {
  /// A copy for each of them, so that nobody shares an object with anybody.
  case copied
  /// One instance for all of them, as long as it is in memory or somebody has it: what one of them changes, the others
  /// see.
  ///
  /// It is a copy of what was recorded, or what the data decoded to; an instance that is recorded again stays. Whoever
  /// uses it on several threads must see to it that these do not use it at once. What was changed is on the disk only
  /// when it is recorded.
  case shared
}
