internal import Sediment

/// The command `sediment rm FILE KEY...`.
enum RemoveCommand: StoreCommand {
  static let access = StoreAccess.changing
  private static let keys = OperandDeclaration(
    name: "KEY", help: "a key to remove: text, or hexadecimal digits with --hex-key", count: .any)
  private static let prefix = OptionDeclaration(
    name: "prefix", letter: "p", value: "PREFIX", help: "remove all keys that begin with it")
  private static let all = OptionDeclaration(
    name: "all", help: "remove all keys, of the collection that is named or of those outside of any")
  private static let drop = OptionDeclaration(
    name: "drop", help: "remove the collection that is named with all its keys")
  private static let force = OptionDeclaration(
    name: "force", help: "no complaint about a key that has no value")

  static let declaration = CommandDeclaration(
    "rm", "removes keys",
    discussion: """
      When the command has returned, the removal is on the disk. A key that has no value is told on standard error and makes \
      the exit code 1, but all others are removed. The space is won back by and by, or at once by 'sediment compact'.
      """,
    operands: [.store, keys], options: [.collection, prefix, all, drop, force, .hexKey],
    examples: [
      ("sediment rm cities.sediment kharkiv lviv", "two keys"),
      ("sediment rm cache.sediment --prefix session:", "all keys that begin so"),
      ("sediment rm photos.sediment -c thumbnails --drop", "a whole collection"),
    ])

  static func run(_ arguments: ParsedArguments, on store: SedimentStore, _ console: Console) throws
    -> ExitCode
  {
    let given = arguments.all(keys)
    let ways = [!given.isEmpty, arguments.has(prefix), arguments.has(all), arguments.has(drop)]
    guard ways.count(where: { $0 }) == 1 else {
      throw ToolFailure.usage("say what to remove in one way: keys, --prefix, --all or --drop")
    }
    let keyspace = try OpenStore.keyspace(arguments, of: store)
    var code = ExitCode.fine
    if arguments.has(drop) {
      guard let name = arguments.value(of: .collection) else {
        throw ToolFailure.usage("--drop needs --collection NAME")
      }
      try store.dropCollection(name, durability: .synced)
    } else if arguments.has(all) {
      try keyspace.removeAll(durability: .synced)
    } else if let text = arguments.value(of: prefix) {
      for key in try keyspace.keys(withPrefix: try arguments.key(text)) {
        try Signals.check()
        try keyspace.remove(forKey: key)
      }
    } else {
      let bytes = try given.map { try arguments.key($0) }
      for (text, key) in zip(given, bytes) where try !keyspace.remove(forKey: key) && !arguments.has(force) {
        console.complain("\(store.path): there is no value for the key '\(text)'")
        code = .notFound
      }
    }
    try store.sync()
    return code
  }
}
