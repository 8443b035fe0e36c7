internal import Foundation

extension Filename {
  /// The name's UTF-8 bytes in Base64.
  public func base64Encoded() -> String {
    Data(rawValue.utf8).base64EncodedString()
  }

  /// The same with `-` and `_` for `+` and `/`, so that no directory is meant.
  public func base64URLEncoded() -> String {
    base64Encoded().replacing("+", with: "-").replacing("/", with: "_")
  }

  /// Turns a name into that of a file.
  public struct Encoder: Sendable {
    // Storages call it from any thread, as they do with every closure of their user.
    private let encode: Unchecked<(Filename) -> String>
    /// The name that a file below the folder has by its path from there, nil if it can have none; no closure where the
    /// encoding cannot be undone.
    let decode: (@Sendable (_ path: String) -> Filename?)?

    private init(
      _ encode: @escaping (Filename) -> String, decode: (@Sendable (_ path: String) -> Filename?)?
    ) {
      self.encode = Unchecked(encode)
      self.decode = decode
    }

    /// Base64, whose `/` makes a directory of what is before it: a name may need a directory where another one has its
    /// file, and fails then.
    @available(*, deprecated, message: "Its slash splits names; use base64URL for new folders.")
    public static let base64 = standard
    /// Base64 in the alphabet for URLs and names of files.
    public static let base64URL = Encoder({ $0.base64URLEncoded() }, decode: { Filename(base64URLPath: $0) })
    /// The name as it is: a `/` in it makes a directory, and a name whose file were not below the folder is refused.
    public static let noEncoding = Encoder({ $0.rawValue }, decode: { Filename(rawValue: $0) })

    /// An encoding of the user's own, called from any thread; where it means a directory outside the folder, the name is
    /// refused.
    public static func custom(_ encode: @escaping (Filename) -> String) -> Encoder {
      Encoder(encode, decode: nil)
    }

    /// What folders use that are not told: Base64, or they would no longer find the files that they have.
    @usableFromInline
    static let standard = Encoder({ $0.base64Encoded() }, decode: { Filename(base64Path: $0) })

    /// The file's name.
    public func encodedString(representing filename: Filename) -> String {
      encode.value(filename)
    }
  }
}

extension Filename {
  /// The name whose Base64 is a path; a slash at its end, which file systems drop, is put back.
  fileprivate init?(base64Path path: String) {
    let encoded = path.utf8.count % 4 == 3 ? path + "/" : path
    guard let data = Data(base64Encoded: encoded), let name = String(validating: data, as: UTF8.self) else {
      return nil
    }
    self.init(rawValue: name)
    guard base64Encoded() == encoded, !name.isEmpty else { return nil }
  }

  fileprivate init?(base64URLPath path: String) {
    let encoded = path.replacing("-", with: "+").replacing("_", with: "/")
    guard let data = Data(base64Encoded: encoded), let name = String(validating: data, as: UTF8.self) else {
      return nil
    }
    self.init(rawValue: name)
    guard base64URLEncoded() == path, !name.isEmpty else { return nil }
  }
}
