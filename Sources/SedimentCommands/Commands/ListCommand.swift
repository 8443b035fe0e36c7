internal import Sediment

/// The command `sediment ls FILE [PREFIX]`.
enum ListCommand: StoreCommand {
  static let access = StoreAccess.reading
  static let prefix = OperandDeclaration(
    name: "PREFIX", help: "only keys that begin with it", count: .optional)
  private static let keysOnly = OptionDeclaration(
    name: "keys", letter: "k", help: "only the keys, one a line")
  private static let unsorted = OptionDeclaration(
    name: "unsorted", letter: "u", help: "in no order: begins at once, and takes no memory")
  private static let limit = OptionDeclaration(
    name: "limit", letter: "n", value: "NUMBER", help: "at most so many keys")
  private static let collections = OptionDeclaration(
    name: "collections", letter: "C",
    help: "the names of the collections and how many keys each has, instead of keys")

  static let declaration = CommandDeclaration(
    "ls", "lists keys with the sizes of their values and their expiry",
    discussion: """
      A line for each key, in the order of their bytes: the bytes of the value, when it expires ('-' for never), and the key. \
      What is not text that can be shown is printed as 0x and hexadecimal digits; --hex-key prints all keys so, as other \
      commands take them with the same option. With --json each line is an object, and bytes that are no UTF-8 are Base64 \
      under the name 'keyBase64'.
      """,
    operands: [.store, prefix],
    options: [.collection, keysOnly, unsorted, limit, collections, .hexKey, .json],
    examples: [
      ("sediment ls cities.sediment", "all keys outside of collections"),
      ("sediment ls cache.sediment session: --keys", "the keys that begin so, and nothing else"),
      ("sediment ls photos.sediment --collections", "which collections there are"),
    ])

  private typealias Entry = (key: [UInt8], byteCount: UInt64, expiry: UInt64?)

  static func run(_ arguments: ParsedArguments, on store: SedimentStore, _ console: Console) throws
    -> ExitCode
  {
    if arguments.has(collections) { return try list(store, isJSON: arguments.has(.json), console) }
    let keys = try OpenStore.keyspace(arguments, of: store)
    let begin = try arguments.optional(prefix).map { try arguments.key($0) } ?? []
    var left = try arguments.number(of: limit, in: 0...Int.max) ?? Int.max
    if arguments.has(unsorted) {
      guard left > 0 else { return .fine }
      try keys.forEachEntry(withPrefix: begin) { key, byteCount, expiry in
        try Signals.check()
        try show([([UInt8](sedimentBytes: key), byteCount, expiry.milliseconds)], arguments, console)
        left -= 1
        return left > 0 ? .continue : .stop
      }
      return .fine
    }
    var entries: [Entry] = []
    try keys.forEachEntry(withPrefix: begin) { key, byteCount, expiry in
      try Signals.check()
      entries.append(([UInt8](sedimentBytes: key), byteCount, expiry.milliseconds))
      return .continue
    }
    entries.sort { $0.key.lexicographicallyPrecedes($1.key) }
    try show(entries.prefix(left), arguments, console)
    return .fine
  }

  private static func show(
    _ entries: some Collection<Entry>, _ arguments: ParsedArguments, _ console: Console
  ) throws {
    let isHex = arguments.has(.hexKey)
    let (hasOnlyKeys, isJSON) = (arguments.has(keysOnly), arguments.has(.json))
    let width = max(entries.map { "\($0.byteCount)".count }.max() ?? 0, 8)
    for entry in entries {
      if isJSON {
        var members = [JSONValue.bytes("key", entry.key)]
        if !hasOnlyKeys {
          members += [
            ("bytes", .integer(entry.byteCount)), ("expires", entry.expiry.map { .integer($0) } ?? .null),
          ]
        }
        try console.write(.object(members))
      } else if hasOnlyKeys {
        try console.write(ByteText.key(entry.key, isHex: isHex) + "\n")
      } else {
        let size = "\(entry.byteCount)".padded(to: width)
        let time = (entry.expiry.map { TimeText.text(milliseconds: $0) } ?? "-").filled(to: 20)
        try console.write("\(size)  \(time)  \(ByteText.key(entry.key, isHex: isHex))\n")
      }
    }
  }

  private static func list(_ store: SedimentStore, isJSON: Bool, _ console: Console) throws -> ExitCode {
    for name in store.collectionNames {
      let count = try store.collection(name).count()
      if isJSON {
        try console.write(.object([("collection", .text(name)), ("keys", .count(count))]))
      } else {
        try console.write("\("\(count)".padded(to: 8))  \(ByteText.key(Array(name.utf8)))\n")
      }
    }
    return .fine
  }
}
