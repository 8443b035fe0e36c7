internal import Sediment
internal import SedimentDisk

/// The command `sediment bench PATH`.
enum BenchCommand: Command {
  private static let path = OperandDeclaration(
    name: "PATH", help: "a file or a directory of the file system to measure; it is not touched",
    completion: .file)
  private static let keys = OptionDeclaration(
    name: "keys", letter: "n", value: "NUMBER", help: "how many keys; 100000 is the default")
  private static let size = OptionDeclaration(
    name: "size", letter: "s", value: "BYTES", help: "how large each value is; 100 is the default")
  private static let syncs = OptionDeclaration(
    name: "syncs", value: "NUMBER", help: "how many synced sets; 200 is the default")

  static let declaration = CommandDeclaration(
    "bench", "measures sets, gets and synced sets on the file system of a path",
    discussion: """
      It makes a store of its own in a hidden file beside the path, and removes it afterwards. One thread sets keys of 16 bytes \
      to values that cannot be compressed, in random order; gets each, in another random order; then waits for the disk with \
      each of some sets. What was just set is in memory, so that gets tell of the engine, and only the synced sets of the disk. \
      Each figure is the mean of one run: other work of the machine is in it.
      """,
    operands: [path], options: [keys, size, syncs, .json],
    examples: [
      ("sediment bench .", "in this directory"),
      ("sediment bench /mnt/data/app.sediment --size 4000", "beside a store, with larger values"),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let given = try arguments.required(path)
    let folder =
      try PathStatus(of: given).isDirectory
      ? given + "/"
      : String(
        given.prefix(upTo: given.lastIndex(of: "/").map { given.index(after: $0) } ?? given.startIndex))
    let disk = SystemDisk()
    let file = "\(folder).sediment-bench-\(String(disk.random(), radix: 16))"
    defer { try? disk.remove(file) }
    let keyCount = try arguments.number(of: keys, in: 1...100_000_000) ?? 100_000
    let valueByteCount = try arguments.number(of: size, in: 0...(1 << 27)) ?? 100
    let syncCount = try arguments.number(of: syncs, in: 1...1_000_000) ?? 200
    let (set, get, synced) = try measure(file, keyCount, valueByteCount, syncCount)
    var table = Table(rightAligned: [false, true, true])
    for (name, count, nanoseconds) in [
      ("set", keyCount, set), ("get", keyCount, get), ("synced set", syncCount, synced),
    ] {
      let rate = SizeText.decimal(1e9 / max(nanoseconds, 1), places: 0)
      table.add([name, SizeText.nanoseconds(nanoseconds) + " each", "\(rate) a second (of \(count))"])
    }
    try console.write(
      arguments,
      json: .object([
        ("keys", .count(keyCount)), ("valueBytes", .count(valueByteCount)), ("syncs", .count(syncCount)),
        ("setNanoseconds", .number(set)), ("getNanoseconds", .number(get)),
        ("syncedSetNanoseconds", .number(synced)),
      ]), text: "values of \(valueByteCount) bytes, keys of 16, one thread\n" + table.text)
    return .fine
  }

  /// How many nanoseconds a set, a get and a synced set take on the average.
  private static func measure(
    _ file: String, _ keyCount: Int, _ valueByteCount: Int, _ syncCount: Int
  ) throws -> (set: Double, get: Double, synced: Double) {
    try Signals.check()
    let store = try SedimentStore(path: file, options: SedimentOptions(durability: .unsynced))
    defer { try? store.close() }
    // Bytes at random, of which each value is another part.
    var generator = SystemRandomNumberGenerator()
    let noise = (0..<valueByteCount + 4_096).map { _ in UInt8.random(in: 0...255, using: &generator) }
    func value(_ number: Int) -> ArraySlice<UInt8> {
      let start = number & 4_095
      return noise[start..<start + valueByteCount]
    }
    func key(_ number: Int) -> String { "key:" + "\(number)".padded(to: 12, with: "0") }
    var order = Array(0..<keyCount)
    order.shuffle()
    let set = try mean(order) { try store.set(value($0), forKey: key($0)) }
    order.shuffle()
    var buffer: [UInt8] = []
    let get = try mean(order) { number in
      guard try store.retrieve(forKey: key(number), into: &buffer), buffer.count == valueByteCount else {
        throw ToolFailure.damaged("\(file): a value that was just set is not there")
      }
    }
    let synced = try mean(Array(0..<syncCount)) {
      try store.set(value($0), forKey: key($0 % keyCount), durability: .synced)
    }
    return (set, get, synced)
  }

  /// How long each number takes on the average.
  private static func mean(_ numbers: [Int], _ body: (Int) throws -> Void) throws -> Double {
    let disk = SystemDisk()
    let start = disk.monotonicClock()
    for number in numbers {
      try body(number)
      try Signals.check()
    }
    return Double(disk.monotonicClock() - start) / Double(numbers.count)
  }
}
