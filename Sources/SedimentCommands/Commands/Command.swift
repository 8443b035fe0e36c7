internal import Sediment

/// A subcommand of the tool.
protocol Command: SendableMetatype {
  static var declaration: CommandDeclaration { get }

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode
}

/// A subcommand that works on an open store, and so is a command of the shell as well.
protocol StoreCommand: Command {
  static var access: StoreAccess { get }

  static func run(_ arguments: ParsedArguments, on store: SedimentStore, _ console: Console) throws
    -> ExitCode
}

/// What a command does with a store.
enum StoreAccess {
  case reading
  /// The file must be there.
  case changing
  /// The file is made if it is not there.
  case making
}

extension StoreCommand {
  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let path = try arguments.required(.store)
    let access = arguments.has(.mustExist) ? .changing : access
    return try OpenStore.with(path, access, valueByteCountMax: try arguments.valueByteCountMax()) { store in
      try run(arguments, on: store, console)
    }
  }
}

/// Opens stores as the tool does.
enum OpenStore {
  /// Runs a closure with a store, which is closed, and durable, when this returns.
  ///
  /// Nothing is mapped: a file that is cut off meanwhile, or a failing disk, is an error and no signal.
  static func with<Result>(
    _ path: String, _ access: StoreAccess, permissions: UInt16 = 0o600,
    compaction: SedimentCompaction = .manual, valueByteCountMax: Int = 1 << 30,
    _ body: (SedimentStore) throws -> Result
  ) throws -> Result {
    try Signals.check()
    let options = SedimentOptions(
      durability: .unsynced, mustExist: access != .making, readOnly: access == .reading,
      permissions: permissions, access: .unmapped, valueByteCountMax: valueByteCountMax,
      compaction: compaction)
    let store = try SedimentStore(path: path, options: options)
    let result: Result
    do {
      result = try body(store)
    } catch {
      // What was done stays done; the first failure is the one to tell.
      try? store.close()
      throw error
    }
    try store.close()
    return result
  }

  /// The keys that `--collection` names, or those outside of any; a collection that is not there is not made.
  static func keyspace(_ arguments: ParsedArguments, of store: SedimentStore) throws -> SedimentCollection {
    guard let name = arguments.value(of: .collection) else { return store.defaultCollection }
    let names = store.collectionNames
    guard names.contains(name) else {
      let known =
        names.isEmpty ? "there are none in this store" : "there are: \(names.joined(separator: ", "))"
      throw ToolFailure.notFound("\(store.path): there is no collection '\(name)'; \(known)")
    }
    return try store.collection(name)
  }
}
