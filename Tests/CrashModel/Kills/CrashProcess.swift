internal import Foundation

/// A process that changes a store, until it is killed; see `CrashChild`.
package final class CrashProcess {
  private let process: pid_t
  private let reports: Int32
  private var isAlive = true

  /// A report: the operation of that number has returned on that thread.
  package struct Report {
    package var thread: Int
    package var number: Int

    /// The threads that do not exist, in whose name a process tells of itself.
    package static let opening = UInt32.max
    package static let stopping = UInt32.max - 1

    /// Whether it says that the store is open.
    package var isOpening: Bool { thread == Int(Self.opening) }
    /// Whether it says that the process has come to where it is to end.
    package var isStopping: Bool { thread == Int(Self.stopping) }
  }

  struct EndedByItself: Error, CustomStringConvertible {
    var description: String
  }

  package init(_ arguments: [String]) throws {
    let path = try Self.path(of: "CrashChild")
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw CocoaError(.fileReadUnknown) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = unsafe posix_spawn_file_actions_t()
    _ = unsafe posix_spawn_file_actions_init(&actions)
    defer { _ = unsafe posix_spawn_file_actions_destroy(&actions) }
    _ = unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    var number: pid_t = 0
    let error = unsafe withCStrings([path] + arguments) { arguments in
      unsafe withCStrings(environment) { environment in
        unsafe posix_spawn(&number, path, &actions, nil, arguments, environment)
      }
    }
    close(ends[1])
    guard error == 0 else {
      // Without a process there must be no object: it would end the one of this number, which is everybody.
      close(ends[0])
      throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO)
    }
    process = number
    reports = ends[0]
  }

  deinit {
    if isAlive { _ = end() }
    close(reports)
  }

  /// The next report; nil if the process has ended.
  ///
  /// Traps if the process says nothing for a long time.
  package func nextReport() -> Report? {
    var poll = pollfd(fd: reports, events: Int16(POLLIN), revents: 0)
    guard unsafe Foundation.poll(&poll, 1, 60_000) > 0 else { fatalError("the process hangs") }
    var bytes: UInt64 = 0
    guard unsafe read(reports, &bytes, 8) == 8 else { return nil }
    return Report(thread: Int(UInt32(truncatingIfNeeded: bytes)), number: Int(bytes >> 32))
  }

  /// Kills the process, unless it has killed itself; what it reported meanwhile.
  ///
  /// Throws if the process had ended in another way.
  package func kill() throws -> [Report] {
    Foundation.kill(process, SIGKILL)
    var last: [Report] = []
    while let report = nextReport() { last.append(report) }
    let status = end()
    if status & 0x7f != SIGKILL { throw EndedByItself(description: "the process ended by itself: \(status)") }
    return last
  }

  private func end() -> Int32 {
    isAlive = false
    Foundation.kill(process, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
    return status
  }

  /// Where a program of the crash tests is: beside the one that starts it, or in a folder above.
  package static func path(of name: String) throws -> String {
    #if canImport(Darwin)
      let own = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundlePath ?? ""
    #else
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    #endif
    var folder = URL(fileURLWithPath: own).deletingLastPathComponent()
    while folder.path != "/" {
      let path = folder.appendingPathComponent(name).path
      if FileManager.default.isExecutableFile(atPath: path) { return path }
      folder.deleteLastPathComponent()
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
