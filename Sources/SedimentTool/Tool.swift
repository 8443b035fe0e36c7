internal import Foundation
internal import Sediment

/// The command `sediment`.
@main
struct Tool {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    exit(run(arguments).rawValue)
  }

  private static let help = """
    usage: sediment inspect FILE    show the superblocks, segments and records of a store's file
           sediment --version       show the versions of the package, the file format and libzstd
           sediment --help          show this

    A file is never written to. Exit codes: 0 fine, 1 not found, 2 usage, 3 damaged or foreign, 5 input or output.

    """

  private static func run(_ arguments: [String]) -> ExitCode {
    switch arguments.first {
    case "--help", "-h", "help":
      Output.write(help)
      return .fine
    case "--version":
      Output.write(
        "sediment \(SedimentVersion.package), format \(SedimentVersion.format), zstd \(SedimentVersion.zstd)\n"
      )
      return .fine
    case "inspect" where arguments.count == 2:
      return InspectCommand(path: arguments[1]).run()
    case "inspect":
      return Output.usage("inspect takes one file")
    case let other?:
      return Output.usage("there is no command '\(other)'")
    case nil:
      return Output.usage("a command is missing")
    }
  }
}

/// How the command ends.
enum ExitCode: Int32 {
  case fine = 0
  case notFound = 1
  case usage = 2
  case damaged = 3
  case inputOutput = 5

  init(_ error: SedimentError) {
    switch error.code {
    case .notFound: self = .notFound
    case .damaged, .foreign, .newer: self = .damaged
    default: self = .inputOutput
    }
  }
}

/// Where the command's words go; a reader that went away ends it quietly.
enum Output {
  static func write(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }

  static func complain(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("sediment: \(text)\n".utf8))
  }

  static func usage(_ text: String) -> ExitCode {
    complain("\(text); see 'sediment --help'")
    return .usage
  }
}
