#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A terminal that gives each key at once and shows none of them, until it is given back.
final class RawMode {
  private let descriptor: Descriptor
  private let before: termios

  /// Nil if it is no terminal.
  init?(_ descriptor: Descriptor) {
    var settings = termios()
    guard unsafe tcgetattr(descriptor.number, &settings) == 0 else { return nil }
    self.descriptor = descriptor
    before = settings
    settings.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    guard unsafe tcsetattr(descriptor.number, TCSADRAIN, &settings) == 0 else { return nil }
  }

  deinit {
    var settings = before
    _ = unsafe tcsetattr(descriptor.number, TCSADRAIN, &settings)
  }
}

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
