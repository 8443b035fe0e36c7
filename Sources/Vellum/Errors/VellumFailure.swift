/// Something that a method without `throws` could not do, as the observer of its factory is told.
public struct VellumFailure: Sendable {
  /// The name of the archives that it was about.
  public let archiveName: String
  /// What was to be done.
  public let operation: Operation
  /// Why it was not.
  public let error: VellumError

  /// What can fail.
  public enum Operation: String, Sendable {
    /// The archives of a type were asked for.
    case opening
    /// An archive was recorded or updated.
    case recording
    /// An archive was looked for by its key.
    case accessing
    /// A query, or reading all archives; those that could not be read are left out.
    case querying
    /// Archives were deleted.
    case deleting
    /// The times of uses were saved in the background; that is tried again with the next use.
    case savingUses
  }
}
