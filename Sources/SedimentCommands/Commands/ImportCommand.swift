internal import Sediment

/// The command `sediment import FILE SOURCE`.
enum ImportCommand: Command {
  private static let source = OperandDeclaration(
    name: "SOURCE",
    help: "a file of JSON lines or CSV, a folder of Shallows or Vellum, or '-' for standard input",
    completion: .file)
  private static let into = OptionDeclaration(
    name: "collection", letter: "c", value: "NAME",
    help: "put keys that name no collection into that one, which is made if it is not there")
  private static let restart = OptionDeclaration(
    name: "restart", help: "begin at the source's beginning, also if an import of it was interrupted")
  private static let encoding = OptionDeclaration(
    name: "encoding", value: "NAME",
    help: "of a folder: how names of files are made of keys: base64, which is the default, base64url or none",
    completion: .words(FolderSource.encodings))
  private static let move = OptionDeclaration(
    name: "move", help: "of a folder: remove each file once its data is on the disk in the store")

  private static let archives = OptionDeclaration(
    name: "archives",
    help:
      "of a folder: it is one of Vellum, a file an archive, whose archives have its name unless --collection says it"
  )

  static let declaration = CommandDeclaration(
    "import", "takes in what 'export' wrote, other JSON lines and CSV, and folders of Shallows and Vellum",
    discussion: """
      The store is made if there is none; keys that are there get the new values. A line of JSON has the members key or \
      keyBase64, value or valueBase64, and collection and expires (milliseconds since 1970) if they apply. CSV needs a row of \
      names with the columns key and value, and may have collection, key_encoding, value_encoding and expires.
      If it is interrupted, or meets a line that it does not understand, what was taken stays; the same command goes on from \
      there, after it has seen that the source begins as before. (The store remembers that in a collection named \
      'sediment:import', until the import is done.)
      Of a folder, keys that have a value keep it, so that a second run goes on as well; files whose names no key has are \
      left alone. So are files of archives that were changed after the archives of their keys were last used.
      """,
    operands: [.store, source],
    options: [.format, into, restart, encoding, move, archives, .maxValue, .mode, .json, .quiet],
    examples: [
      ("sediment import cities.sediment cities.jsonl", "from a file; its name tells the format"),
      ("zcat cities.csv.gz | sediment import cities.sediment - --format csv", "from standard input"),
      (
        "sediment import cache.sediment ~/.cache/cities --collection cities", "from a folder, a file a key"
      ),
      (
        "sediment import archives.sediment ~/.cache/vellum_user --archives --move",
        "the archives of a type User"
      ),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let name = try arguments.required(source)
    // Opened once: a pipe would be read by nobody else afterwards.
    let descriptor = name == "-" ? Descriptor.input : try Descriptor.readingAnything(name)
    defer { if name != "-" { descriptor.close() } }
    if name != "-", descriptor.isDirectory { return try importFolder(name, arguments, console) }
    for option in [encoding, move, archives] where arguments.has(option) {
      throw ToolFailure.usage("--\(option.name) is for folders, and \(name) is none")
    }
    return try importFile(name, name == "-" ? console.input : ByteSource(descriptor), arguments, console)
  }

  // MARK: Files

  private static func importFile(
    _ name: String, _ bytes: ByteSource, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    guard let format = try arguments.format() ?? (name == "-" ? .jsonl : ExchangeFormat(ofFile: name)) else {
      throw ToolFailure.usage(
        "\(name): its name does not tell the format; say --format jsonl or --format csv")
    }
    // Before a store is made: there may be nothing in it that is understood.
    let valueByteCountMax = try arguments.valueByteCountMax()
    var reader = try format.reader(bytes, valueByteCountMax: valueByteCountMax)
    let first = try reader.next()
    let (path, permissions) = (try arguments.required(.store), try arguments.permissions())
    let bar = ProgressBar("import", isQuiet: arguments.has(.quiet))
    let entryCount = try OpenStore.with(path, .making, permissions: permissions, compaction: .automatic) {
      store in
      var running = FileImport(
        name, bytes, reader, first, into: store, collection: arguments.value(of: into),
        valueByteCountMax: valueByteCountMax, bar: bar)
      if arguments.has(restart) {
        try ImportProgress.forget(running.progressName, in: store)
      } else if let progress = try ImportProgress.of(running.progressName, in: store) {
        try running.resume(progress)
        console.complain(
          "going on behind \(SizeText.count(progress.entryCount, "entry", "entries")), at byte \(progress.position)"
        )
      }
      return try running.run()
    }
    bar.clear()
    try console.write(
      arguments, json: .object([("entries", .integer(entryCount))]),
      text: "\(path): \(SizeText.count(entryCount, "entry", "entries")) imported\n")
    return .fine
  }

  // MARK: Folders

  private static func importFolder(
    _ name: String, _ arguments: ParsedArguments, _ console: Console
  ) throws -> ExitCode {
    for option in [OptionDeclaration.format, .maxValue] where arguments.has(option) {
      throw ToolFailure.usage("--\(option.name) is for files, and \(name) is a folder")
    }
    let isOfArchives = arguments.has(archives)
    if isOfArchives, arguments.has(encoding) {
      throw ToolFailure.usage("--encoding is for folders of Shallows; those of archives have none")
    }
    let chosen = try arguments.choice(of: encoding) ?? "base64"
    let (path, permissions) = (try arguments.required(.store), try arguments.permissions())
    let bar = ProgressBar("import", isQuiet: arguments.has(.quiet))
    let report = try OpenStore.with(path, .making, permissions: permissions, compaction: .automatic) {
      store in
      let show = { (report: FolderSource.Report, total: Int) in
        let count = report.importedCount + report.presentCount
        bar.show(completed: report.byteCount, of: nil, note: "\(count) of \(total) files")
      }
      let (collection, moves) = (arguments.value(of: into), arguments.has(move))
      if isOfArchives {
        return try ArchiveFolderSource.run(name, into: store, archiveName: collection, moves: moves, show)
      }
      return try FolderSource(name, encoding: chosen).run(
        into: store, collection: collection, moves: moves, show)
    }
    bar.clear()
    if report.importedCount == 0, report.presentCount == 0, report.otherCount > 0, !isOfArchives {
      let others = FolderSource.encodings.filter { $0 != chosen }.joined(separator: " or ")
      console.complain(
        "\(name): no file has a name that \(chosen) makes of a key; try --encoding \(others), or --archives")
    }
    if report.differingCount > 0 {
      console.complain(
        "\(name): \(SizeText.count(report.differingCount, "file")) not moved, because the keys have other values"
      )
    }
    try console.write(
      arguments,
      json: .object([
        ("imported", .count(report.importedCount)), ("present", .count(report.presentCount)),
        ("others", .count(report.otherCount)), ("bytes", .integer(report.byteCount)),
      ]),
      text:
        "\(path): \(SizeText.count(report.importedCount, "file")) imported, \(report.presentCount) had a value already, "
        + "\(report.otherCount) that no key has left alone\n")
    return .fine
  }
}
