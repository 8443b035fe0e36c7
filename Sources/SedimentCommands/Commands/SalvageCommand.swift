internal import Sediment

extension OperandDeclaration {
  static let newStore = OperandDeclaration(
    name: "NEW", help: "the file to make; there must be none of that name", completion: .file)
}

/// The command `sediment salvage FILE NEW`.
enum SalvageCommand: Command {
  private static let keepUncertain = OptionDeclaration(
    name: "keep-uncertain",
    help: "save keys that may have been removed, too: in a collection named 'salvaged'")

  private static let maxValue = OptionDeclaration(
    name: "max-value", value: "BYTES",
    help: "leave out values that are longer, 131072 bytes at least, which count as lost")

  static let declaration = CommandDeclaration(
    "salvage", "saves what is whole of a damaged file to a new one",
    discussion: """
      The damaged file is only read and stays as it is. Where a change was lost, its keys have an older value, or are there \
      though they were removed: the numbers of such changes are told. If it fails or is interrupted, no new file is left. \
      The exit code is 0 if all was saved, and 3 if something was lost.
      """,
    operands: [.store, .newStore], options: [keepUncertain, maxValue, .json, .quiet],
    examples: [
      ("sediment salvage broken.sediment saved.sediment", "prints what was saved and what was lost")
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let (path, new) = (try arguments.required(.store), try arguments.required(.newStore))
    try Signals.check()
    let bar = ProgressBar("salvage", isQuiet: arguments.has(.quiet))
    let report = try SedimentStore.salvage(
      from: path, to: new, keepsUncertain: arguments.has(keepUncertain),
      valueByteCountMax: try arguments.valueByteCountMax()
    ) { bar.show($0) }
    bar.clear()
    try console.write(arguments, json: json(report), text: text(report, new))
    return report.isComplete ? .fine : .damaged
  }

  private static func text(_ report: SalvageReport, _ new: String) -> String {
    var text = report.losses.map { "lost: \($0)\n" }.joined()
    if report.lostValueCount > 0 {
      text += "lost: the values of \(SizeText.count(report.lostValueCount, "key"))\n"
    }
    if report.brokenBatchCount > 0 {
      text += "in part: \(SizeText.count(report.brokenBatchCount, "batch", "batches"))\n"
    }
    if report.uncertainKeyCount > 0 {
      text += "uncertain: \(SizeText.count(report.uncertainKeyCount, "key")) that may have been removed\n"
    }
    for name in report.inventedNames { text += "a collection whose name is lost is called '\(name)'\n" }
    let knowledge =
      switch report.knowledge {
      case .whole: "what the file should hold is known"
      case .partial: "what the file should hold is known up to some change"
      case .none: "what the file should hold is not known"
      }
    return text
      + "\(new): \(SizeText.count(report.keyCount, "key")), \(SizeText.bytes(report.byteCount)); \(knowledge)\n"
      + (report.isComplete ? "everything was saved\n" : "not everything could be saved\n")
  }

  private static func json(_ report: SalvageReport) -> JSONValue {
    let losses = report.losses.map { loss in
      JSONValue.object([
        ("start", .integer(loss.range.lowerBound)), ("end", .integer(loss.range.upperBound)),
        ("reason", .text(loss.reason)),
        ("firstChange", loss.sequences.map { .integer($0.lowerBound) } ?? .null),
        ("lastChange", loss.sequences.map { .integer($0.upperBound) } ?? .null),
      ])
    }
    return .object([
      ("isComplete", .boolean(report.isComplete)), ("knowledge", .text("\(report.knowledge)")),
      ("keys", .integer(report.keyCount)), ("bytes", .integer(report.byteCount)), ("losses", .array(losses)),
      ("lostValues", .integer(report.lostValueCount)), ("brokenBatches", .integer(report.brokenBatchCount)),
      ("uncertainKeys", .integer(report.uncertainKeyCount)),
      ("inventedNames", .array(report.inventedNames.map { .text($0) })),
    ])
  }
}
