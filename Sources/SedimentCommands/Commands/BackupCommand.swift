internal import Sediment

/// The command `sediment backup FILE NEW`.
enum BackupCommand: Command {
  private static let live = OptionDeclaration(
    name: "live", help: "copy live records alone, and nothing of what was replaced, removed or has expired")

  static let declaration = CommandDeclaration(
    "backup", "makes a copy of a store",
    discussion: """
      The copy is a store like any other, whole and on the disk when the command has returned. A file that is there already \
      is never replaced. If it fails or is interrupted, no file is left. A program that has the store open for writing makes \
      backups itself, by the library's 'backup(to:)': for anybody else the store is locked.
      The copy also has the bytes of what was replaced, removed or has expired and is not compacted yet. With --live it has \
      none of them, and takes longer.
      """,
    operands: [.store, .newStore], options: [live, .json, .quiet],
    examples: [
      ("sediment backup cities.sediment cities-2030-01-31.sediment", "prints how large the copy is"),
      (
        "sediment backup --live cities.sediment for-others.sediment",
        "a copy without anything that was deleted"
      ),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let (path, new) = (try arguments.required(.store), try arguments.required(.newStore))
    let bar = ProgressBar("backup", isQuiet: arguments.has(.quiet))
    try OpenStore.with(path, .reading) { store in
      if arguments.has(live) {
        try store.backupLiveRecords(to: new) { bar.show($0) }
      } else {
        try store.backup(to: new) { bar.show($0) }
      }
    }
    bar.clear()
    let byteCount = try PathStatus(of: new).byteCount
    try console.write(
      arguments, json: .object([("path", .text(new)), ("bytes", .integer(byteCount))]),
      text: "\(new): \(SizeText.bytes(byteCount))\n")
    return .fine
  }
}
