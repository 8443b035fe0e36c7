internal import Sediment

/// A shell that is under way.
final class ShellSession {
  private let store: SedimentStore
  private let console: Console
  private let isInteractive: Bool
  /// The collection that is worked in.
  private var collection: String?
  private var lineNumber = 0

  static let commands: [any StoreCommand.Type] = [
    GetCommand.self, SetCommand.self, ExpireCommand.self, RemoveCommand.self, ListCommand.self,
    CountCommand.self, StatsCommand.self,
  ]
  private static let ownNames = ["use", "sync", "help", "exit", "quit"]
  private static var names: [String] { commands.map { $0.declaration.name } + ownNames }

  init(_ store: SedimentStore, input: ByteSource, isInteractive: Bool) {
    self.store = store
    self.isInteractive = isInteractive
    console = Console(showsValues: true, input: input, isShell: true)
  }

  /// Takes commands to the end; the result is that of the first that failed, or fine on a terminal.
  func run() throws -> ExitCode {
    isInteractive ? try runInteractively() : try runScript()
  }

  private func runScript() throws -> ExitCode {
    var first = ExitCode.fine
    while let bytes = try console.input.line(limit: Self.lineByteCountMax) {
      lineNumber += 1
      guard let line = String(validating: bytes.last == 10 ? bytes.dropLast() : bytes[...], as: UTF8.self)
      else {
        throw ToolFailure.usage("line \(lineNumber) is not UTF-8")
      }
      let outcome = try perform(line)
      try console.output.flush()
      if first == .fine { first = outcome.code }
      if outcome.isLast { break }
    }
    return first
  }

  /// The longest line of a script; what is longer comes from a file, by `set --from`.
  private static let lineByteCountMax = 64 << 20

  private func runInteractively() throws -> ExitCode {
    let file = HistoryFile()
    let editor = LineEditor(
      prompt: "sediment> ", input: console.input, history: LineHistory(file?.lines() ?? []),
      complete: completion)
    while let line = try editor.line() {
      if !line.hasPrefix(" ") { file?.append(line) }
      let outcome = try perform(line)
      try console.output.flush()
      if outcome.isLast { break }
    }
    return .fine
  }

  /// Performs one line; throws only what ends the shell.
  private func perform(_ line: String) throws -> (code: ExitCode, isLast: Bool) {
    do {
      let words = try ShellWords.words(of: line)
      guard let name = words.first, !name.hasPrefix("#") else { return (.fine, false) }
      if name == "exit" || name == "quit" { return (.fine, true) }
      return (try perform(name, Array(words.dropFirst())), false)
    } catch {
      let failure = ToolFailure.any(error)
      let isOnlyInterrupted = isInteractive && failure.code == .interrupted
      if Signals.isPending, !isOnlyInterrupted { throw failure }
      if failure.code == .signal(Signals.brokenPipe) { throw failure }
      Signals.forget()
      let message = failure.message ?? "interrupted"
      console.complain(isInteractive ? message : "line \(lineNumber): \(message)")
      return (failure.code, false)
    }
  }

  private func perform(_ name: String, _ words: [String]) throws -> ExitCode {
    switch name {
    case "use":
      guard words.count <= 1 else { throw ToolFailure.usage("use takes one collection, or nothing") }
      collection = words.first
      if isInteractive, let name = words.first, !store.collectionNames.contains(name) {
        console.complain("there is no collection '\(name)' yet; 'set' makes it")
      }
    case "sync": try store.sync()
    case "help": try help(words.first)
    default:
      let command = try Self.command(name)
      guard var arguments = try ArgumentParser.parse(words, for: command.declaration, given: [.store]) else {
        try help(name)
        return .fine
      }
      if let collection, !arguments.has(.collection) {
        arguments.set(.collection, to: collection)
      }
      return try command.run(arguments, on: store, console)
    }
    return .fine
  }

  private static func command(_ name: String) throws(ToolFailure) -> any StoreCommand.Type {
    for command in commands where command.declaration.name == name { return command }
    let hint = Suggestion.hint(for: name, among: names)
    throw .usage("there is no command '\(name)' in the shell\(hint); 'help' lists all")
  }

  private func help(_ name: String?) throws {
    if let name, !Self.ownNames.contains(name) {
      return try console.write(HelpText.text(of: try Self.command(name).declaration))
    }
    var table = Table(rightAligned: [false, false])
    for command in Self.commands {
      let declaration = command.declaration
      let operands = declaration.operands.dropFirst().map(\.usage)
      table.add([([declaration.name] + operands).joined(separator: " "), declaration.summary])
    }
    table.add(["use [COLLECTION]", "works in a collection from now on, or outside of any"])
    table.add(["sync", "makes everything durable"])
    table.add(["help [COMMAND]", "explains a command"])
    table.add(["exit", "ends the shell"])
    try console.write(table.text)
  }

  // MARK: Completion

  private static let keyCountMax = 1_000

  private func completion(of before: String) throws -> LineEditor.LineCompletion {
    let (words, last, letterCount) = ShellWords.unfinished(before)
    let found: [String]
    switch words.first {
    case nil, "help": found = Self.names.filter { $0.hasPrefix(last) }
    // A name that the terminal would obey cannot be typed either.
    case "use":
      found = store.collectionNames.filter { $0.hasPrefix(last) && ByteText.printable(Array($0.utf8)) != nil }
    case let name? where last.hasPrefix("-"):
      let options = Self.commands.first { $0.declaration.name == name }?.declaration.options ?? []
      found = options.map { "--\($0.name)" }.filter { $0.hasPrefix(last) }
    default: found = try keys(beginningWith: last)
    }
    return LineEditor.LineCompletion(
      replacedCount: letterCount, candidates: found.map { ShellWords.quoted($0) }.sorted())
  }

  private func keys(beginningWith prefix: String) throws -> [String] {
    if let collection, !store.collectionNames.contains(collection) { return [] }
    let keys = try collection.map { try store.collection($0) } ?? store.defaultCollection
    var found: [String] = []
    try keys.forEachKey(withPrefix: prefix) { key in
      if let text = ByteText.printable([UInt8](sedimentBytes: key)) { found.append(text) }
      return found.count < Self.keyCountMax ? .continue : .stop
    }
    return found
  }
}
