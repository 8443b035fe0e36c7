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
