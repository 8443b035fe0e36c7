internal import Sediment

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The command `sediment`.
package enum Tool {
  /// Runs the command that the process's arguments name, and ends the process.
  package static func main() -> Never {
    Descriptor.fillStandard()
    Signals.install()
    exit(run().rawValue)
  }

  private static func run() -> ExitCode {
    let console = Console()
    var code: ExitCode
    do {
      code = try run(try arguments(), console)
    } catch {
      code = end(ToolFailure.any(error), console)
    }
    do throws(ToolFailure) {
      try console.output.flush()
    } catch {
      // What went wrong before is what matters.
      if code == .fine { code = end(error, console) }
    }
    return code
  }

  private static func end(_ failure: ToolFailure, _ console: Console) -> ExitCode {
    if let message = failure.message { console.complain(message) }
    return failure.code
  }

  private static func run(_ arguments: [String], _ console: Console) throws -> ExitCode {
    guard let name = arguments.first else {
      throw ToolFailure.usage("a command is missing; 'sediment help' lists all commands")
    }
    switch name {
    case "--help", "-h": return try HelpCommand.run(ParsedArguments(), console)
    case "--version":
      try console.write(
        "sediment \(SedimentVersion.package), format \(SedimentVersion.format), zstd \(SedimentVersion.zstd)\n"
      )
      return .fine
    default: break
    }
    let command = try CommandTable.command(name)
    if let parsed = try ArgumentParser.parse(Array(arguments.dropFirst()), for: command.declaration) {
      return try command.run(parsed, console)
    }
    try console.write(HelpText.text(of: command.declaration))
    return .fine
  }

  /// The arguments without the tool's own name; the standard library would replace what is not UTF-8.
  private static func arguments() throws(ToolFailure) -> [String] {
    var texts: [String] = []
    for number in 1..<max(Int(CommandLine.argc), 1) {
      guard let pointer = unsafe CommandLine.unsafeArgv[number] else { continue }
      guard let text = unsafe String(validatingCString: pointer) else {
        throw .usage("argument \(number) is not UTF-8; give such keys in hexadecimal, with --hex-key")
      }
      texts.append(text)
    }
    return texts
  }
}
