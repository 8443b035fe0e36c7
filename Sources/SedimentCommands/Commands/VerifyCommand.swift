internal import Sediment

/// The command `sediment verify FILE`.
enum VerifyCommand: Command {
  static let declaration = CommandDeclaration(
    "verify", "reads every byte of a file and says what is wrong with it",
    discussion: """
      Nothing is written, and a file that cannot be opened as a store can be verified all the same. What a crash leaves of \
      changes that were not synced is told as 'torn' and is no damage: the next opening cuts it off. The exit code is 3 if \
      something is damaged.
      """,
    operands: [.store], options: [.json, .quiet],
    examples: [
      ("sediment verify cities.sediment", "prints the findings, and whether the file is intact"),
      ("sediment verify cities.sediment --json | jq .findings", "for a program"),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let path = try arguments.required(.store)
    let bar = ProgressBar("verify", isQuiet: arguments.has(.quiet))
    let report = try SedimentStore.verify(path: path) { bar.show($0) }
    bar.clear()
    try console.write(arguments, json: json(report), text: text(report))
    return report.isIntact ? .fine : .damaged
  }

  private static func text(_ report: VerificationReport) -> String {
    var text = ""
    for superblock in report.superblocks {
      switch superblock.state {
      case .closed, .open: continue
      case .damaged(let reason):
        text += "\(report.path): the superblock at byte \(superblock.offset) is damaged: \(reason)\n"
      case .unreadable: text += "\(report.path): the superblock at byte \(superblock.offset) cannot be read\n"
      }
    }
    for finding in report.findings { text += "\(report.path): \(finding)\n" }
    let used = report.segments.filter(\.isInUse)
    let recordCount = used.reduce(0) { $0 + $1.recordCount }
    let verdict =
      report.isIntact
      ? "intact" : "DAMAGED; keep the file as it is, and restore a backup or use 'sediment salvage'"
    let closed =
      report.wasClosed.map { $0 ? "closed in order" : "not closed in order" } ?? "its end is not known"
    return text + "\(report.path): \(verdict)\n"
      + "\(report.fileByteCount) bytes, \(SizeText.count(used.count, "segment")), "
      + "\(SizeText.count(recordCount, "record")), \(closed)\n"
  }

  private static func json(_ report: VerificationReport) -> JSONValue {
    let findings = report.findings.map { finding in
      JSONValue.object([
        ("kind", .text(finding.kind.description)), ("isDamage", .boolean(finding.kind.isDamage)),
        ("start", .integer(finding.range.lowerBound)), ("end", .integer(finding.range.upperBound)),
        ("message", .text(finding.message)),
      ])
    }
    let segments = report.segments.map { segment in
      JSONValue.object([
        ("kind", .text(segment.kind.rawValue)), ("generation", .integer(segment.generation)),
        ("start", .integer(segment.range.lowerBound)), ("end", .integer(segment.range.upperBound)),
        ("usedBytes", .integer(segment.usedByteCount)), ("records", .integer(segment.recordCount)),
        ("liveBytes", segment.liveByteCount.map { .integer($0) } ?? .null),
        ("deadBytes", segment.deadByteCount.map { .integer($0) } ?? .null),
        ("isIntact", .boolean(segment.isIntact)), ("isInUse", .boolean(segment.isInUse)),
      ])
    }
    return .object([
      ("path", .text(report.path)), ("isIntact", .boolean(report.isIntact)),
      ("fileBytes", .integer(report.fileByteCount)),
      ("wasClosed", report.wasClosed.map { .boolean($0) } ?? .null),
      ("logEnd", report.logEnd.map { .integer($0) } ?? .null),
      ("sequence", report.sequence.map { .integer($0) } ?? .null),
      ("findings", .array(findings)), ("segments", .array(segments)),
    ])
  }
}
