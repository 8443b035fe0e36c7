#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The file that keeps the lines of a shell for later ones.
///
/// Failures are ignored: a shell without its history is better than none.
struct HistoryFile {
  private let path: String

  /// The file that `SEDIMENT_HISTORY` names, or `.sediment_history` in the home directory; nil if there is none.
  init?() {
    if let named = Self.variable("SEDIMENT_HISTORY") {
      if named.isEmpty { return nil }
      path = named
    } else if let home = Self.variable("HOME"), !home.isEmpty {
      path = "\(home)/.sediment_history"
    } else {
      return nil
    }
  }

  private static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// The bytes that are read of the file's end.
  private static let byteCountMax: UInt64 = 1 << 20

  /// Returns the newest lines, oldest first, and shortens a file that has grown to twice their number.
  func lines() -> [String] {
    guard let descriptor = open(O_RDWR) else { return [] }
    defer { descriptor.close() }
    guard let byteCount = descriptor.byteCount,
      let bytes = try? descriptor.read(byteCount - min(byteCount, Self.byteCountMax)..<byteCount)
    else { return [] }
    let all = bytes.split(separator: 10).compactMap { Self.line(Array($0)) }
    let lines = Array(all.suffix(LineHistory.countMax))
    if all.count > 2 * LineHistory.countMax || byteCount > Self.byteCountMax,
      (try? descriptor.cut(to: 0)) != nil
    {
      try? descriptor.write(lines.flatMap { Array($0.utf8) + [10] })
    }
    return lines
  }

  /// Appends a line.
  func append(_ line: String) {
    guard !line.isEmpty, let descriptor = open(O_WRONLY | O_CREAT | O_APPEND) else { return }
    defer { descriptor.close() }
    try? descriptor.write(Array(line.utf8) + [10])
  }

  /// A line that a terminal may be shown; nil for one with control characters, which nobody typed.
  private static func line(_ bytes: [UInt8]) -> String? { ByteText.printable(bytes) }

  /// Opens the file if it is a regular one.
  ///
  /// A new file is readable by its owner alone, since lines have values in them.
  private func open(_ flags: Int32) -> Descriptor? {
    let number = systemOpen(path, flags | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else { return nil }
    let descriptor = Descriptor(number: number, name: path)
    if descriptor.byteCount == nil {
      descriptor.close()
      return nil
    }
    return descriptor
  }
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags, 0o600) }
