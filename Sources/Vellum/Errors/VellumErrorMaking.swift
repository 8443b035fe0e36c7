internal import Foundation
internal import Sediment

extension VellumError {
  static func notEncodable(_ name: String, _ error: any Error) -> VellumError {
    VellumError(
      .notEncodable, errorDescription: "An archive of '\(name)' could not be turned into data.",
      failureReason: "Its own method failed; nothing was changed.", underlyingError: error)
  }

  static func notDecodable(_ name: String, _ error: any Error) -> VellumError {
    VellumError(
      .notDecodable, errorDescription: "An archive of '\(name)' could not be read from its data.",
      failureReason:
        "Its own method failed. If the type has changed, let it read what it wrote before, or delete"
        + " the archive.", underlyingError: error)
  }

  static func anotherType(_ name: String, found: Any.Type) -> VellumError {
    VellumError(
      .notDecodable, errorDescription: "An archive of '\(name)' was read as something else.",
      failureReason: "Its method that decodes gave a \(found). Let it give the type that it belongs to.")
  }

  /// What a method of an archive fails with that was not written.
  static func missing(_ type: Any.Type, method: String) -> VellumError {
    VellumError(
      .invalidArgument, errorDescription: "\(type) does not say how it is turned into data and back.",
      failureReason: "Write \(method) in \(type), or let \(type) be Codable.")
  }

  static func tooLarge(_ name: String, byteCount: Int) -> VellumError {
    VellumError(
      .tooLarge, errorDescription: "An archive of '\(name)' has \(byteCount) bytes and fits nowhere.",
      failureReason: "Ask for larger maximum sizes when the archives of this type are first asked for.")
  }

  static func nameTaken(_ name: String, by type: Any.Type) -> VellumError {
    VellumError(
      .nameTaken, errorDescription: "The archives named '\(name)' belong to another type.",
      failureReason: "They are those of \(type). Give one of the two types an archiveName of its own.")
  }

  static func otherIdentity(_ name: String, isShared: Bool) -> VellumError {
    VellumError(
      .invalidArgument,
      errorDescription:
        "The archives of '\(name)' are in use already, with \(isShared ? "shared" : "copied") objects.",
      failureReason: "Say what you want of their identity when they are first asked for.")
  }

  static func newer(_ name: String) -> VellumError {
    VellumError(
      .newer, errorDescription: "The archives of '\(name)' cannot be read.",
      failureReason: "A newer version of Vellum wrote them. Use that version, or a later one.")
  }

  static func damaged(_ name: String) -> VellumError {
    VellumError(
      .damaged, errorDescription: "What is stored for an archive of '\(name)' is not what Vellum writes.",
      failureReason: "Something else has written to its collection. Delete the archive, or restore the file.")
  }

  static func notRegular(_ error: any Error) -> VellumError {
    VellumError(
      .invalidArgument, errorDescription: "A query has a pattern that is no regular expression.",
      failureReason: "It finds nothing. Mend the pattern.", underlyingError: error)
  }

  static func store(_ name: String, _ error: any Error) -> VellumError {
    if let error = error as? VellumError { return error }
    let failure = error as? SedimentError
    let reason = failure?.message ?? "The store failed."
    return VellumError(
      failure?.code == .damaged ? .damaged : .store,
      errorDescription: "The archives of '\(name)' could not be read or written.",
      failureReason: reason, underlyingError: error)
  }

  static func notAFile(_ url: URL) -> VellumError {
    VellumError(
      .invalidArgument, errorDescription: "The file of the archives could not be opened.",
      failureReason: "\(url.absoluteString) is not the URL of a file. Use one that was made of a file's path."
    )
  }

  static func severalNames(_ folder: String, _ names: [String]) -> VellumError {
    VellumError(
      .invalidArgument,
      errorDescription: "The archives of the folder '\(folder)' have no place of their own.",
      failureReason:
        "They may be those of \(names.map { "'\($0)'" }.joined(separator: " or ")). Say which by `as:`.")
  }

  static func folder(_ name: String, _ error: any Error) -> VellumError {
    VellumError(
      .invalidArgument, errorDescription: "The folder for the archives of '\(name)' could not be read.",
      failureReason: "It stays as it is. See that it can be read, then import again.", underlyingError: error)
  }

  /// Without the system's error, which tells the file's name and so the key.
  static func file(_ name: String) -> VellumError {
    VellumError(
      .invalidArgument,
      errorDescription: "A file for the archives of '\(name)' could not be read or removed.",
      failureReason: "It stays where it is. See that it can be, then import again.")
  }

  static func location(_ path: String, _ error: any Error) -> VellumError {
    if let error = error as? VellumError { return error }
    let failure = error as? SedimentError
    let reason = failure?.message ?? "Its folder could not be made."
    return VellumError(
      failure?.code == .locked ? .locked : .store,
      errorDescription: "The file of the archives, \(path), could not be opened.",
      failureReason: reason, underlyingError: error)
  }
}
