internal import Sediment

/// The command `sediment set FILE KEY [VALUE]`.
enum SetCommand: StoreCommand {
  static let access = StoreAccess.making
  private static let value = OperandDeclaration(
    name: "VALUE", help: "the value; without it, or as '-', standard input is read to its end",
    count: .optional)
  private static let from = OptionDeclaration(
    name: "from", letter: "f", value: "PATH", help: "the value is what that file holds", completion: .file)
  private static let expires = OptionDeclaration(
    name: "expires", letter: "e", value: "WHEN",
    help:
      "when the value expires: \(ExpiryText.forms); never is the default"
  )
  private static let ifAbsent = OptionDeclaration(
    name: "if-absent", help: "leave a value alone that is there; the exit code is 1 then")
  private static let hex = OptionDeclaration(name: "hex", help: "the value is given in hexadecimal digits")

  static let declaration = CommandDeclaration(
    "set", "gives a key a value",
    discussion: """
      The value is an argument, a file, or standard input, byte for byte. The store is made if there is none. When the \
      command has returned, the value is on the disk; if it was interrupted or failed, the value before is still there.
      """,
    operands: [.store, .key, value],
    options: [.collection, from, expires, ifAbsent, hex, .hexKey, .mustExist, .mode],
    examples: [
      ("sediment set cities.sediment kharkiv 1654", "text as the value"),
      (
        "sediment set cache.sediment session:7 --expires 10m < session.json",
        "from standard input, for ten minutes"
      ),
      (
        "sediment set photos.sediment cover --from cover.jpg -c thumbnails", "a file's bytes, in a collection"
      ),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    // Everything is read and checked before a store is made or changed.
    let change = try change(arguments, console)
    let access = arguments.has(.mustExist) ? StoreAccess.changing : .making
    let permissions = try arguments.permissions()
    return try OpenStore.with(try arguments.required(.store), access, permissions: permissions, change)
  }

  static func run(_ arguments: ParsedArguments, on store: SedimentStore, _ console: Console) throws
    -> ExitCode
  {
    try change(arguments, console)(store)
  }

  /// What is to be done to a store, with everything that the arguments say read and checked.
  private static func change(
    _ arguments: ParsedArguments, _ console: Console
  ) throws -> (SedimentStore) throws -> ExitCode {
    let key = try arguments.key(try arguments.required(.key))
    let expiry = try ExpiryText.required(arguments.value(of: expires) ?? "never")
    let bytes = try bytes(arguments, console)
    return { store in
      try Signals.check()
      let name = arguments.value(of: .collection)
      let keys = try name.map { try store.collection($0) } ?? store.defaultCollection
      guard arguments.has(ifAbsent) else {
        try keys.set(bytes, forKey: key, expiry: expiry, durability: .synced)
        return .fine
      }
      return try keys.setIfAbsent(bytes, forKey: key, expiry: expiry, durability: .synced) ? .fine : .notFound
    }
  }

  private static func bytes(_ arguments: ParsedArguments, _ console: Console) throws -> [UInt8] {
    let given = arguments.optional(value)
    var bytes: [UInt8]
    if let path = arguments.value(of: from) {
      if given != nil { throw ToolFailure.usage("the value is given twice: as an argument and by --from") }
      let descriptor = try Descriptor.reading(path)
      defer { descriptor.close() }
      bytes = try ByteSource(descriptor).all(limit: valueByteCountMax)
    } else if let given, given != "-" {
      bytes = Array(given.utf8)
    } else {
      if console.isShell {
        throw ToolFailure.usage("VALUE is missing; in the shell it is an argument, or --from a file")
      }
      if Descriptor.input.isTerminal {
        console.complain("type the value, then Ctrl-D on a line of its own")
      }
      bytes = try console.input.all(limit: valueByteCountMax)
    }
    guard arguments.has(hex) else { return bytes }
    while let last = bytes.last, last == 10 || last == 13 { bytes.removeLast() }
    guard let decoded = HexText.bytes(String(decoding: bytes, as: UTF8.self)) else {
      throw ToolFailure.usage("the value is not hexadecimal; give two digits for each byte, such as 00ff")
    }
    return decoded
  }

  /// Twice what a value may have, since it may be given in hexadecimal.
  private static let valueByteCountMax = 2 << 30
}
