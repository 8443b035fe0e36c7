internal import CBench
internal import Foundation

/// What a run ran on: figures mean nothing without it.
public struct Machine: Codable, Equatable, Sendable {
  /// The processor's name.
  public var processor: String

  /// How many processors the program may use.
  public var coreCount: Int

  /// The first processor's caches: `L1 Data 32K, L2 Unified 512K, L3 Unified 32768K`.
  public var caches: String

  /// Bytes of memory.
  public var memoryByteCount: UInt64

  /// The operating system and its kernel's version.
  public var kernel: String

  /// Where the data files lay: the file system's type, and what it is mounted with.
  public var fileSystem: String

  /// The compiler's version.
  public var swiftVersion: String

  /// Creates a description from what is known.
  public init(
    processor: String, coreCount: Int, caches: String, memoryByteCount: UInt64, kernel: String,
    fileSystem: String, swiftVersion: String
  ) {
    self.processor = processor
    self.coreCount = coreCount
    self.caches = caches
    self.memoryByteCount = memoryByteCount
    self.kernel = kernel
    self.fileSystem = fileSystem
    self.swiftVersion = swiftVersion
  }

  /// Describes this machine; what cannot be found out is `unknown`.
  ///
  /// A program cannot ask which compiler built it, so the script that did so says it.
  public static func current(directory: String, swiftVersion: String?) -> Machine {
    let process = ProcessInfo.processInfo
    return Machine(
      processor: processorName(inCPUInformation: contents(of: "/proc/cpuinfo")) ?? "unknown",
      coreCount: process.activeProcessorCount,
      caches: caches(),
      memoryByteCount: process.physicalMemory,
      kernel: kernelName(inVersion: contents(of: "/proc/version")) ?? process.operatingSystemVersionString,
      fileSystem: fileSystem(
        ofPath: URL(fileURLWithPath: directory).resolvingSymlinksInPath().path,
        inMounts: contents(of: "/proc/self/mounts")) ?? "unknown",
      swiftVersion: swiftVersion ?? "unknown")
  }

  /// The machine in one line, for a heading.
  public var summary: String {
    let gibibytes = Int((Double(memoryByteCount) / 1_073_741_824).rounded())
    let type = fileSystem.split(separator: " ").first.map(String.init) ?? fileSystem
    return "\(processor), \(coreCount) cores, \(gibibytes) GiB, \(type), \(kernel)"
  }

  /// `Linux 6.1.0` of `Linux version 6.1.0 (who built it) ...`.
  package static func kernelName(inVersion text: String) -> String? {
    let words = text.split(separator: " ")
    guard words.count >= 3, words[1] == "version" else { return nil }
    return "\(words[0]) \(words[2])"
  }

  package static func processorName(inCPUInformation text: String) -> String? {
    for line in text.split(separator: "\n") where line.hasPrefix("model name") {
      return line.split(separator: ":", maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) }
    }
    return nil
  }

  /// The type and options of the mount with the longest path that leads to `path`; of equals, the last.
  package static func fileSystem(ofPath path: String, inMounts text: String) -> String? {
    var best: (length: Int, description: String)?
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count >= 4 else { continue }
      let point = String(fields[1])
      let leadsToPath = point == "/" || path == point || path.hasPrefix(point + "/")
      guard leadsToPath, point.count >= best?.length ?? 0 else { continue }
      best = (point.count, "\(fields[2]) (\(fields[3]))")
    }
    return best?.description
  }

  private static func caches() -> String {
    let folder = "/sys/devices/system/cpu/cpu0/cache"
    let indices = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let lines = indices.filter { $0.hasPrefix("index") }.sorted().map { index in
      let fields = ["level", "type", "size"].map { contents(of: "\(folder)/\(index)/\($0)") }
      return "L\(fields[0]) \(fields[1]) \(fields[2])"
    }
    return lines.isEmpty ? "unknown" : lines.joined(separator: ", ")
  }

  private static func contents(of path: String) -> String {
    let data = FileManager.default.contents(atPath: path) ?? Data()
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
