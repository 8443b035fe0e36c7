import CrashModel
import Foundation

/// A program of the layer `device`, with a pipe to its standard input and one from its outputs.
final class DeviceProgram {
  private let process: pid_t
  private var input: Int32
  private let output: Int32
  private var isWaitedFor = false

  init(_ command: [String]) throws {
    var (inputs, outputs): ([Int32], [Int32]) = ([0, 0], [0, 0])
    guard unsafe pipe(&inputs) == 0, unsafe pipe(&outputs) == 0 else {
      throw DeviceFailure(description: "no pipes: error \(errno)")
    }
    for end in inputs + outputs { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = unsafe posix_spawn_file_actions_t()
    _ = unsafe posix_spawn_file_actions_init(&actions)
    defer { _ = unsafe posix_spawn_file_actions_destroy(&actions) }
    _ = unsafe posix_spawn_file_actions_adddup2(&actions, inputs[0], STDIN_FILENO)
    for number in [STDOUT_FILENO, STDERR_FILENO] {
      _ = unsafe posix_spawn_file_actions_adddup2(&actions, outputs[1], number)
    }
    var number: pid_t = 0
    let error = unsafe withCStrings(command) { arguments in
      unsafe posix_spawnp(&number, command[0], &actions, nil, arguments, environ)
    }
    for end in [inputs[0], outputs[1]] { close(end) }
    (process, input, output) = (number, inputs[1], outputs[0])
    if error != 0 {
      isWaitedFor = true
      throw DeviceFailure(description: "\(command[0]) does not start: error \(error)")
    }
  }

  deinit {
    endInput()
    if !isWaitedFor { _ = wait() }
    close(output)
  }

  /// Ends its input, by which a device's server knows that it is to end.
  func endInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Waits for the next bytes of its output; none if it has ended, and nil if nothing came for so long.
  func nextOutput(within milliseconds: Int32) -> [UInt8]? {
    var poll = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    guard unsafe Foundation.poll(&poll, 1, milliseconds) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(output, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
  }

  /// All that it says, and how it ended; nil if it says nothing, and does not end, for so long.
  func result(within milliseconds: Int32) -> (text: String, status: Int32)? {
    var text: [UInt8] = []
    while true {
      guard let bytes = nextOutput(within: milliseconds) else { return nil }
      if bytes.isEmpty { break }
      text += bytes
    }
    return (String(decoding: text, as: UTF8.self), wait())
  }

  func kill() { _ = Foundation.kill(process, SIGKILL) }

  /// Its status as the system tells it, once it has ended.
  func wait() -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
    isWaitedFor = true
    return status
  }

  /// Runs a program to its end; throws with its words if it fails.
  static func run(_ command: [String]) throws {
    let program = try DeviceProgram(command)
    guard let (text, status) = program.result(within: 60_000) else {
      program.kill()
      throw DeviceFailure(description: "\(command[0]) hangs")
    }
    if status != 0 {
      throw DeviceFailure(description: "\(command.joined(separator: " ")): \(text), status \(status)")
    }
  }
}

/// Something that is no fault of a store.
struct DeviceFailure: Error, CustomStringConvertible {
  var description: String
}
