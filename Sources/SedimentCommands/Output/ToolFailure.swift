internal import Sediment

/// Why a command ends before its end: a message for people, unless there is nothing to say, and a code for programs.
struct ToolFailure: Error, Sendable {
  let code: ExitCode
  let message: String?

  init(_ code: ExitCode, _ message: String?) {
    self.code = code
    self.message = message
  }

  init(_ error: SedimentError) {
    self.init(ExitCode(error), error.description)
  }

  static func usage(_ message: String) -> ToolFailure { ToolFailure(.usage, message) }

  static func notFound(_ message: String) -> ToolFailure { ToolFailure(.notFound, message) }

  static func damaged(_ message: String) -> ToolFailure { ToolFailure(.damaged, message) }

  /// A call to the system failed on something that has a name.
  static func system(_ name: String, _ number: Int32) -> ToolFailure {
    ToolFailure(.inputOutput, "\(name): \(SystemMessage.text(number))")
  }

  /// Whoever was to read went away: nothing is left to say.
  static let closedPipe = ToolFailure(.signal(Signals.brokenPipe), nil)

  /// Any error as one; what is not known is said in its own words.
  static func any(_ error: any Error) -> ToolFailure {
    switch error {
    case let failure as ToolFailure: return failure
    case let error as SedimentError:
      // Stopping is asked for by a signal alone.
      if error.code == .cancelled, let failure = Signals.failure { return failure }
      return ToolFailure(error)
    default: return ToolFailure(.inputOutput, "\(error)")
    }
  }
}
