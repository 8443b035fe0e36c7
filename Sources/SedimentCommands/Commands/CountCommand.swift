internal import Sediment

/// The command `sediment count FILE [PREFIX]`.
enum CountCommand: StoreCommand {
  static let access = StoreAccess.reading

  static let declaration = CommandDeclaration(
    "count", "counts keys",
    discussion: """
      Without a prefix it takes no time, unless some of the keys expire. Keys of collections count only with --collection; \
      'sediment ls FILE --collections' tells how many each has.
      """,
    operands: [.store, ListCommand.prefix], options: [.collection, .hexKey, .json],
    examples: [
      ("sediment count cities.sediment", "how many keys there are outside of collections"),
      ("sediment count cache.sediment session:", "how many begin so"),
    ])

  static func run(_ arguments: ParsedArguments, on store: SedimentStore, _ console: Console) throws
    -> ExitCode
  {
    let keys = try OpenStore.keyspace(arguments, of: store)
    var count = 0
    if let prefix = try arguments.optional(ListCommand.prefix).map({ try arguments.key($0) }) {
      try keys.forEachEntry(withPrefix: prefix) { _, _, _ in
        try Signals.check()
        count += 1
        return .continue
      }
    } else {
      count = try keys.count()
    }
    try console.write(arguments, json: .object([("keys", .count(count))]), text: "\(count)\n")
    return .fine
  }
}
