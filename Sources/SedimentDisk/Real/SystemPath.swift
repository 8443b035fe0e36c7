/// What can be told of a path from its spelling.
package enum SystemPath {
  /// Whether the system would see all of it: C strings end at the first zero.
  package static func isWhole(_ path: String) -> Bool {
    !path.utf8.contains(0)
  }

  /// The directory that holds the path's last component; "." where the path names no other.
  package static func parent(of path: String) -> String {
    let slash = UInt8(ascii: "/")
    let bytes = path.utf8
    guard let nameEnd = bytes.lastIndex(where: { $0 != slash }) else { return bytes.isEmpty ? "." : "/" }
    guard let separator = bytes[..<nameEnd].lastIndex(of: slash) else { return "." }
    guard let parentEnd = bytes[..<separator].lastIndex(where: { $0 != slash }) else { return "/" }
    return String(path[...parentEnd])
  }
}
