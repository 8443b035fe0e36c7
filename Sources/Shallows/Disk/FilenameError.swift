/// Why a folder has no file for a name.
public enum FilenameError: Error, Sendable, Hashable, StorageFailure, CustomStringConvertible {
  /// It is encoded as nothing, or as the folder itself.
  case isEmpty(Filename)
  /// It is encoded as a path with `..` in it, or with a directory that is a link, which may lead anywhere.
  case leavesFolder(Filename)
  /// It is encoded with a NUL character, which ends names in file systems.
  case hasNul(Filename)

  /// The folder cannot do that.
  public var failureKind: FailureKind { .notSupported }

  /// What it is, and what to do about it.
  public var description: String {
    switch self {
    case .isEmpty: "An empty name has no file; use a name of at least one character."
    case .leavesFolder:
      "A name with \"..\" or a link for a directory would leave the folder; encode it with base64URL."
    case .hasNul: "A name with a NUL character has no file; encode it with base64URL."
    }
  }
}

extension Filename {
  /// The path of the file from its folder; an error if it were not below the folder.
  func path(encodedBy encoder: Encoder) throws(FilenameError) -> String {
    let path = encoder.encodedString(representing: self)
    guard !path.utf8.contains(0) else { throw .hasNul(self) }
    let components = path.utf8.split(separator: UInt8(ascii: "/"))
    guard !components.contains(where: { $0.elementsEqual("..".utf8) }) else { throw .leavesFolder(self) }
    // Empty components and single dots are passed over, as file systems do.
    guard components.contains(where: { !$0.elementsEqual(".".utf8) }) else { throw .isEmpty(self) }
    return path
  }
}
