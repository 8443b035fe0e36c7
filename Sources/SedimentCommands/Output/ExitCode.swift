internal import Sediment

/// How the tool ends.
struct ExitCode: Hashable, Sendable {
  let rawValue: Int32

  static let fine = ExitCode(rawValue: 0)
  static let notFound = ExitCode(rawValue: 1)
  static let usage = ExitCode(rawValue: 2)
  /// Also foreign, and newer than this tool.
  static let damaged = ExitCode(rawValue: 3)
  static let locked = ExitCode(rawValue: 4)
  static let inputOutput = ExitCode(rawValue: 5)

  /// Ctrl-C.
  static let interrupted = ExitCode.signal(Signals.interrupt)

  /// As shells name the end by a signal.
  static func signal(_ number: Int32) -> ExitCode { ExitCode(rawValue: 128 + number) }

  init(rawValue: Int32) { self.rawValue = rawValue }

  init(_ error: SedimentError) {
    switch error.code {
    case .notFound, .collectionDropped: self = .notFound
    case .tooLarge, .invalidArgument, .exists: self = .usage
    case .damaged, .foreign, .newer, .undecodable: self = .damaged
    case .locked: self = .locked
    default: self = .inputOutput
    }
  }
}
