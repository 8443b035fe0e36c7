internal import Sediment

/// The command `sediment get FILE KEY`.
enum GetCommand: StoreCommand {
  static let access = StoreAccess.reading
  private static let hex = OptionDeclaration(
    name: "hex", help: "show the value in hexadecimal, with its text beside it")
  private static let raw = OptionDeclaration(
    name: "raw", letter: "r", help: "pass on the bytes of the value as they are, also to a terminal")

  static let declaration = CommandDeclaration(
    "get", "prints the value of a key",
    discussion: """
      A terminal is shown text as text, ending with a line feed, and anything else in hexadecimal. A file or a pipe gets \
      the bytes of the value, and nothing else. If the key has no value, nothing is printed and the exit code is 1.
      """,
    operands: [.store, .key], options: [.collection, .hexKey, hex, raw, .maxValue, .json],
    examples: [
      ("sediment get cities.sediment kharkiv", "prints the value"),
      (
        "sediment get photos.sediment cover -c thumbnails > cover.jpg", "a value of a collection, into a file"
      ),
      (
        "sediment get things.sediment --hex-key 00ff --json",
        "a key of two bytes; with its expiry, for a program"
      ),
    ])

  static func run(_ arguments: ParsedArguments, on store: SedimentStore, _ console: Console) throws
    -> ExitCode
  {
    let text = try arguments.required(.key)
    let key = try arguments.key(text)
    let keys = try OpenStore.keyspace(arguments, of: store)
    guard let stream = try keys.stream(forKey: key) else {
      throw ToolFailure.notFound("\(store.path): there is no value for the key '\(text)'")
    }
    if stream.isLong {
      try write(stream, of: key, arguments, console)
      return .fine
    }
    let value = try stream.wholeValue()
    if arguments.has(.json) {
      try console.write(
        .object([
          JSONValue.bytes("key", key), JSONValue.bytes("value", value), ("expires", stream.expiry.json),
        ]))
    } else if arguments.has(hex) {
      try console.write(HexText.dump(value))
    } else if arguments.has(raw) || !console.showsValues {
      try console.output.write(value)
    } else {
      try console.write(ByteText.value(value))
    }
    return .fine
  }

  /// Writes a long value a part at a time.
  private static func write(
    _ value: ValueStream, of key: [UInt8], _ arguments: ParsedArguments, _ console: Console
  ) throws {
    if arguments.has(.json) {
      return try JSONValue.writeLine(
        [JSONValue.bytes("key", key)], value, isText: try value.isText(), [("expires", value.expiry.json)]
      ) { try console.output.write($0) }
    }
    if !arguments.has(hex), arguments.has(raw) || !console.showsValues {
      return try value.forEachPart(of: .bytes(1)) { try console.output.write($0) }
    }
    if !arguments.has(hex), try value.isText(where: { ByteText.printable($0, allowingLines: true) != nil }) {
      var last: UInt8?
      try value.forEachPart(of: .character) { part in
        try console.write(String(decoding: part, as: UTF8.self))
        last = part.last
      }
      return try console.write(last == 10 ? "" : "\n")
    }
    var offset = 0
    try value.forEachPart(of: .bytes(16)) { part in
      try console.write(HexText.dump(part, from: offset))
      offset += part.count
    }
  }
}

extension SedimentExpiry {
  /// When that is, in milliseconds since 1970; nil for never.
  var milliseconds: UInt64? {
    guard case .at(let milliseconds) = self else { return nil }
    return milliseconds
  }

  var json: JSONValue { milliseconds.map { .integer($0) } ?? .null }
}
