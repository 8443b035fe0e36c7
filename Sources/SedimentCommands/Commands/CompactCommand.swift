internal import Sediment

/// The command `sediment compact FILE`.
enum CompactCommand: Command {
  private static let erase = OptionDeclaration(
    name: "erase",
    help: "also overwrite what was replaced, removed or has expired, so that the file has no byte of it")

  static let declaration = CommandDeclaration(
    "compact", "wins back the space of what was replaced, removed or has expired",
    discussion: """
      A program that has the store open does so by itself, in the background. What has expired lately may stay: it is deleted \
      once the clocks of the machine have agreed for ten minutes that its time has come. Interrupted, what was done stays \
      done, and nothing is lost.
      With --erase everything that lives is written anew, and all else is overwritten with zeros, expired values among it. \
      Interrupted, the same command finishes. It reaches this file alone: not snapshots and other copies that the file \
      system or the disk has made, and not earlier backups.
      """,
    operands: [.store], options: [erase, .json, .quiet],
    examples: [
      ("sediment compact cities.sediment", "prints how large the file was, and is"),
      ("sediment compact --erase cities.sediment", "leaves no byte of what was deleted in the file"),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let path = try arguments.required(.store)
    let bar = ProgressBar("compact", isQuiet: arguments.has(.quiet))
    // What is wrong with the path the store says, as it does to all commands.
    let status = try? PathStatus(of: path)
    try OpenStore.with(path, .changing) { store in
      try store.compact(erasing: arguments.has(erase)) { bar.show($0) }
    }
    bar.clear()
    let after = try PathStatus(of: path)
    let before = status ?? after
    let (old, new) = (before.allocatedByteCount, after.allocatedByteCount)
    try console.write(
      arguments,
      json: .object([
        ("bytesBefore", .integer(before.byteCount)), ("bytesAfter", .integer(after.byteCount)),
        ("allocatedBefore", .integer(old)), ("allocatedAfter", .integer(new)),
      ]), text: "\(path): \(SizeText.bytes(old)) on the disk before, \(SizeText.bytes(new)) now\n")
    return .fine
  }
}
