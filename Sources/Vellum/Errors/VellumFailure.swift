/// Something that a method without `throws` could not do, as the observer of its factory is told.
public struct VellumFailure: Sendable {
  /// The name of the archives that it was about.
  public let archiveName: String
  /// What was to be done.
  public let operation: Operation
  /// Why it was not.
  public let error: VellumError

  /// All that is known of it, in one line.
  var line: String {
    error.description.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// What can fail.
  public enum Operation: String, Sendable {
    /// The archives of a type were asked for; with `damaged`, some of the archives cannot be read.
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
    /// A file was to be moved into archives; it stays where it is.
    case importing
  }
}
