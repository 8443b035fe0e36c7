internal import Sediment

/// The command `sediment expire FILE KEY WHEN`.
enum ExpireCommand: StoreCommand {
  static let access = StoreAccess.changing
  private static let when = OperandDeclaration(
    name: "WHEN", help: "\(ExpiryText.forms), or never")

  static let declaration = CommandDeclaration(
    "expire", "changes when a value expires",
    discussion: """
      The value stays as it is. When the command has returned, the new expiry is on the disk. If the key has no value, \
      nothing is changed and the exit code is 1.
      """,
    operands: [.store, .key, when], options: [.collection, .hexKey],
    examples: [
      ("sediment expire cache.sediment session:7 10m", "ten minutes from now"),
      ("sediment expire cache.sediment session:7 2030-01-31T12:00:00Z", "at a time"),
      ("sediment expire cache.sediment session:7 never", "without expiry"),
    ])

  static func run(_ arguments: ParsedArguments, on store: SedimentStore, _ console: Console) throws
    -> ExitCode
  {
    let text = try arguments.required(.key)
    let key = try arguments.key(text)
    let expiry = try ExpiryText.required(try arguments.required(when))
    let keys = try OpenStore.keyspace(arguments, of: store)
    guard try keys.setExpiry(expiry, forKey: key, durability: .synced) else {
      throw ToolFailure.notFound("\(store.path): there is no value for the key '\(text)'")
    }
    return .fine
  }
}
