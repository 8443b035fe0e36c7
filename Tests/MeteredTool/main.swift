// The command `sediment`, which at its end writes how much memory it took to the file that an environment variable names:
// the highest resident set of the process less that at its beginning, in bytes. Linux alone tells both.

internal import SedimentCommands

#if os(Linux)
  #if canImport(Musl)
    internal import Musl
  #else
    internal import Glibc
  #endif

  /// A line of `/proc/self/status` that gives so many KiB.
  func statusByteCount(_ name: String) -> Int {
    guard let file = unsafe fopen("/proc/self/status", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while unsafe fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let words = text.split(whereSeparator: { $0.isWhitespace })
      if words.first == "\(name):", words.count > 1 { return (Int(words[1]) ?? 0) << 10 }
    }
    return 0
  }

  nonisolated(unsafe) let reportPath = unsafe getenv("SEDIMENT_MEMORY_REPORT")
  let byteCountAtStart = statusByteCount("VmRSS")

  atexit {
    guard let path = unsafe reportPath, let file = unsafe fopen(path, "w") else { return }
    unsafe fputs("\(statusByteCount("VmHWM") - byteCountAtStart)\n", file)
    unsafe fclose(file)
  }
#endif

Tool.main()
