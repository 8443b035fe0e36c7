internal import Sediment

extension OptionDeclaration {
  static let format = OptionDeclaration(
    name: "format", letter: "f", value: "FORMAT",
    help: "jsonl or csv; without it the name of the file tells, and jsonl is the default",
    completion: .words(ExchangeFormat.allCases.map(\.rawValue)))
}

/// The command `sediment export FILE [TO]`.
enum ExportCommand: Command {
  private static let to = OperandDeclaration(
    name: "TO", help: "the file to make; standard output without it, or as '-'", count: .optional,
    completion: .file)
  private static let prefix = OptionDeclaration(
    name: "prefix", letter: "p", value: "PREFIX", help: "only keys that begin with it")
  private static let sorted = OptionDeclaration(
    name: "sorted", help: "in the order of the keys' bytes, for comparing; takes memory for the keys")

  static let declaration = CommandDeclaration(
    "export", "writes keys and values as lines of JSON or as CSV",
    discussion: """
      All collections are exported, unless one is named. 'sediment import' makes the same store of it: keys, values, expiry \
      and collections, byte for byte. Text stands as it is; bytes that are no UTF-8 are Base64, under the names keyBase64 \
      and valueBase64 or with base64 in the columns key_encoding and value_encoding. Expiry is in milliseconds since 1970. \
      A file appears once it is whole, and never replaces one that is there; interrupted, nothing is left.
      """,
    operands: [.store, to], options: [.format, .collection, prefix, sorted, .hexKey, .quiet],
    examples: [
      .init("sediment export cities.sediment cities.jsonl", "a line of JSON for each key"),
      .init("sediment export cities.sediment --format csv | gzip > cities.csv.gz", "CSV, packed on the way"),
      .init(
        "sediment export cities.sediment | sediment import copy.sediment -", "straight into another store"),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let path = try arguments.required(.store)
    let name = arguments.optional(to).flatMap { $0 == "-" ? nil : $0 }
    let chosen = try arguments.choice(of: .format).flatMap { ExchangeFormat(rawValue: $0) }
    let format = chosen ?? name.flatMap { ExchangeFormat(ofFile: $0) } ?? .jsonl
    let begin = try arguments.value(of: prefix).map { try arguments.key($0) } ?? []
    try OpenStore.with(path, .reading) { store in
      let file = try name.map { try NewTextFile(at: $0) }
      do {
        var export = Export(
          writer: format.writer, output: file?.writer ?? console.output, prefix: begin,
          isSorted: arguments.has(sorted), bar: ProgressBar("export", isQuiet: arguments.has(.quiet)))
        try export.run(store, arguments)
      } catch {
        file?.remove()
        throw error
      }
      try file?.finish()
    }
    return .fine
  }

  /// An export that is under way.
  private struct Export {
    let writer: any ExchangeWriter
    let output: OutputWriter
    let prefix: [UInt8]
    let isSorted: Bool
    let bar: ProgressBar
    private var entryCount = 0

    init(
      writer: any ExchangeWriter, output: OutputWriter, prefix: [UInt8], isSorted: Bool, bar: ProgressBar
    ) {
      (self.writer, self.output, self.prefix, self.isSorted, self.bar) = (
        writer, output, prefix, isSorted, bar
      )
    }

    mutating func run(_ store: SedimentStore, _ arguments: ParsedArguments) throws {
      try output.write(writer.head)
      if let name = arguments.value(of: .collection) {
        try add(try OpenStore.keyspace(arguments, of: store), name)
      } else {
        try add(store, nil)
        for name in store.collectionNames where name != ImportProgress.collectionName {
          try add(try store.collection(name), name)
        }
      }
      bar.clear()
    }

    private mutating func add(_ keys: SedimentKeyspace, _ collection: String?) throws {
      let before = entryCount
      if isSorted {
        for key in try keys.keys(withPrefix: prefix) {
          // What expires meanwhile is not there any more.
          guard let (value, expiry) = try keys.retrieveExpiring(forKey: key, as: [UInt8].self) else {
            continue
          }
          try add(key, value, expiry, collection)
        }
      } else {
        try keys.forEachExpiring(withPrefix: prefix) { key, value, expiry in
          try add([UInt8](sedimentBytes: key), [UInt8](sedimentBytes: value), expiry, collection)
          return .continue
        }
      }
      // A collection without keys is there all the same.
      if let collection, entryCount == before { try write(ExchangeEntry(collection: collection)) }
    }

    private mutating func add(
      _ key: [UInt8], _ value: [UInt8], _ expiry: SedimentExpiry, _ collection: String?
    ) throws {
      entryCount += 1
      try write(
        ExchangeEntry(collection: collection, key: key, value: value, expires: expiry.milliseconds))
    }

    private func write(_ entry: ExchangeEntry) throws {
      try Signals.check()
      var bytes: [UInt8] = []
      writer.append(entry, to: &bytes)
      try output.write(bytes)
      bar.show(completed: output.byteCount, of: nil, note: SizeText.count(entryCount, "key"))
    }
  }
}
