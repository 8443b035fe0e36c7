internal import Sediment
internal import SedimentDisk
internal import SedimentFormat

extension OptionDeclaration {
  static let format = OptionDeclaration(
    name: "format", letter: "f", value: "FORMAT",
    help: "jsonl or csv; without it the name of the file tells, and jsonl is the default",
    completion: .words(ExchangeFormat.allCases.map(\.rawValue)))
}

extension ParsedArguments {
  /// The format that was given by name; nil if none was.
  func format() throws(ToolFailure) -> ExchangeFormat? {
    try choice(of: .format).flatMap { ExchangeFormat(rawValue: $0) }
  }
}

/// The command `sediment export FILE [TO]`.
enum ExportCommand: Command {
  private static let to = OperandDeclaration(
    name: "TO", help: "the file to make; standard output without it, or as '-'", count: .optional,
    completion: .file)
  private static let prefix = OptionDeclaration(
    name: "prefix", letter: "p", value: "PREFIX", help: "only keys that begin with it")
  private static let memory = OptionDeclaration(
    name: "memory", value: "MIB",
    help: "how much memory keys may take while they are put in order, in MiB; 256 without it")

  static let declaration = CommandDeclaration(
    "export", "writes keys and values as lines of JSON or as CSV",
    discussion: """
      All collections are exported, unless one is named. 'sediment import' makes the same store of it: keys, values, expiry \
      and collections, byte for byte. Text stands as it is; bytes that are no UTF-8 are Base64, under the names keyBase64 \
      and valueBase64 or with base64 in the columns key_encoding and value_encoding. Expiry is in milliseconds since 1970. \
      Keys come in the order of their bytes, collections in that of their names.
      A file appears once it is whole, and never replaces one that is there. An export to a file that is interrupted leaves a \
      part beside it (TO.part-...), unless it had hardly begun; the same command goes on from there. What was changed in \
      between is exported as far as it comes behind that place. Only the user who exports may read the file and the part. \
      On a terminal, CSV has Base64 for text with characters that control the terminal or are not shown.
      """,
    operands: [.store, to], options: [.format, .collection, prefix, memory, .maxValue, .hexKey, .quiet],
    examples: [
      ("sediment export cities.sediment cities.jsonl", "a line of JSON for each key"),
      ("sediment export cities.sediment --format csv | gzip > cities.csv.gz", "CSV, packed on the way"),
      (
        "sediment export cities.sediment | sediment import copy.sediment -", "straight into another store"
      ),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let path = try arguments.required(.store)
    let name = arguments.optional(to).flatMap { $0 == "-" ? nil : $0 }
    let format = try arguments.format() ?? name.flatMap { ExchangeFormat(ofFile: $0) } ?? .jsonl
    let begin = try arguments.value(of: prefix).map { try arguments.key($0) } ?? []
    let memory = (try arguments.number(of: memory, in: 1...1 << 20) ?? 256) << 20
    try OpenStore.with(path, .reading, valueByteCountMax: try arguments.valueByteCountMax()) { store in
      let sources = try sources(arguments, of: store)
      let file = try name.map {
        try ExportFile(at: $0, format: format, subject: try subject(path, format, arguments, prefix: begin))
      }
      if let finished = file?.finished {
        let count = SizeText.count(finished.entryCount, "entry", "entries")
        console.complain("going on behind \(count), at byte \(finished.byteCount)")
      }
      do {
        var export = StoreExport(
          format.writer(forTerminal: file == nil && console.showsValues), to: file, or: console.output,
          prefix: begin, memory: memory,
          bar: ProgressBar("export", isQuiet: arguments.has(.quiet)))
        try export.run(sources)
      } catch {
        throw file?.stop(error) ?? error
      }
      try file?.finish()
    }
    return .fine
  }

  private static func sources(
    _ arguments: ParsedArguments, of store: SedimentStore
  ) throws -> [StoreExport.Source] {
    if let name = arguments.value(of: .collection) {
      return [(name, try OpenStore.keyspace(arguments, of: store))]
    }
    let names = store.collectionNames.filter { $0 != ImportProgress.collectionName }
    return [(nil, store.defaultCollection)] + (try names.map { ($0, try store.collection($0)) })
  }

  /// The checksum of what is exported: which store, how, and what of it.
  private static func subject(
    _ path: String, _ format: ExchangeFormat, _ arguments: ParsedArguments, prefix: [UInt8]
  ) throws -> Checksum {
    let identity = try FileGlance(path: path, on: SystemDisk()).head().leading.identity
    let collection: [UInt8] = arguments.value(of: .collection).map { [1] + Array($0.utf8) } ?? [0]
    var checksum = identity.checksum
    for part: [UInt8] in [Array(format.rawValue.utf8), collection, prefix] {
      checksum = unsafe checksum.continued(with: UInt32(part.count)).continued(with: part.span.bytes)
    }
    return checksum
  }
}
