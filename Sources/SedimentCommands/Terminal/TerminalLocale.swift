#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// What the environment says of the terminal's letters.
enum TerminalLocale {
  /// Whether they are those of UTF-8.
  static var isUTF8: Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let value = unsafe getenv(name) else { continue }
      let text = unsafe String(cString: value)
      if !text.isEmpty { return text.uppercased().contains("UTF-8") || text.uppercased().contains("UTF8") }
    }
    return false
  }
}
