import CrashModel
import Foundation

/// A machine with a recorded device and a file system on it, from when it is switched on until its power fails.
///
/// Nothing of it outlives the suite, however that ends: mounts are in a namespace of the suite's processes, a loop device
/// goes with its mount, and the program that serves the device ends with its standard input.
final class DeviceMachine {
  private let fileSystem: DeviceFileSystem
  private let folder: SuiteFolder
  private let server: DeviceProgram
  private var isMounted = false

  /// Switches it on: the file system puts right what the last crash left.
  init(_ fileSystem: DeviceFileSystem, base: String, history: Data) throws {
    self.fileSystem = fileSystem
    folder = try SuiteFolder(isInMemory: true)
    for name in ["served", "mounted"] {
      try FileManager.default.createDirectory(atPath: folder[name], withIntermediateDirectories: false)
    }
    try history.write(to: URL(fileURLWithPath: folder["history"]))
    server = try DeviceProgram([
      try Self.program(), "serve", base, folder["history"], folder["log"], folder["served"],
    ])
    guard server.nextOutput(within: 10_000) == Array("+".utf8) else {
      throw DeviceFailure(description: "no device is served")
    }
    do {
      try Self.mount(folder["served/device"], fileSystem, at: folder["mounted"])
      isMounted = true
    } catch {
      stop()
      throw error
    }
  }

  deinit { stop() }

  /// The file that takes marks and commands.
  var control: String { folder["served/control"] }
  /// Where the file system is.
  var path: String { folder["mounted"] }

  /// What a process came to.
  enum Outcome {
    case done
    /// A call threw.
    case failed(String)
    /// A signal ended it.
    case died(Int32, String)
    case wrong(String)
  }

  /// Lets a process use a store.
  func run(_ job: DeviceJob) throws -> Outcome {
    let child = try DeviceProgram([try CrashProcess.path(of: "CrashChild")] + job.arguments)
    guard let (text, status) = child.result(within: 60_000) else {
      child.kill()
      // Calls that wait for the device end with it.
      server.kill()
      return .wrong("a process hangs")
    }
    let line = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if status != 0 { return .died(status & 0x7f, line) }
    if line == "done" { return .done }
    return line.hasPrefix("failed: ") ? .failed(line) : .wrong(line)
  }

  /// What is known of the store by now, and how many of the uncertain changes must be there unless the power fails.
  func past(after past: DevicePast) throws -> (DevicePast, least: Int) {
    let log = try DeviceLog(folder["log"])
    let past = log.past(before: log.records.count, after: past)
    let last = log.records.lazy.reversed().compactMap { log.mark($0) }.first
    var isLastCertain = true
    if case .failed = last { isLastCertain = false }
    return (past, isLastCertain ? past.tail.count : max(past.tail.count - 1, 0))
  }

  /// Gives a command to the device.
  func command(_ text: String) throws {
    let file = unsafe open(control, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard unsafe write(file, bytes, bytes.count) == bytes.count else {
      throw DeviceFailure(description: "the device refuses '\(text)'")
    }
  }

  /// Unmounts the file system, and returns all that happened to the device.
  func log() throws -> DeviceLog {
    stop()
    return try DeviceLog(folder["log"])
  }

  private func stop() {
    if isMounted { Self.unmount(folder["mounted"]) }
    isMounted = false
    server.endInput()
    Self.unmount(folder["served"])
  }

  // MARK: Mounts

  private static func program() throws -> String { try CrashProcess.path(of: "CrashDevice") }

  static func mount(_ file: String, _ fileSystem: DeviceFileSystem, at path: String) throws {
    try DeviceProgram.run([try program(), "mount", file, fileSystem.type, fileSystem.mountOptions, path])
  }

  static func unmount(_ path: String) {
    #if os(Linux)
      // What closed a file may be about to let go of it.
      for _ in 0..<50 {
        if unsafe umount2(path, 0) == 0 || errno != EBUSY { return }
        usleep(10_000)
      }
      _ = unsafe umount2(path, CInt(MNT_DETACH))
    #endif
  }

  /// Why there can be none here; nil if there can be.
  static let obstacle: String? = {
    guard geteuid() == 0, PrivateMounts.areAllowed else { return "loop devices and mounts take root" }
    guard (try? program()) != nil else { return "CrashDevice was not built, which takes libfuse3-dev" }
    for path in ["/dev/fuse", "/dev/loop-control"] where unsafe access(path, R_OK | W_OK) != 0 {
      return "there is no \(path)"
    }
    do {
      for fileSystem in DeviceFileSystem.allCases {
        _ = try DeviceMachine(fileSystem, base: try fileSystem.base(leaving: nil), history: Data()).log()
      }
      return nil
    } catch {
      return "\(error)".split(separator: "\n").joined(separator: " ")
    }
  }()
}
