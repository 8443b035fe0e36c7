internal import Sediment
internal import SedimentDisk
internal import SedimentFormat

/// The command `sediment watch FILE`.
enum WatchCommand: Command {
  private static let interval = OptionDeclaration(
    name: "interval", letter: "i", value: "DURATION",
    help: "how long to wait between looks; 1s is the default")
  private static let count = OptionDeclaration(
    name: "count", letter: "n", value: "NUMBER", help: "how many looks; without it until Ctrl-C")

  static let declaration = CommandDeclaration(
    "watch", "shows live how a file changes, also while a program has it open",
    discussion: """
      It takes no lock and never gets in the way of a program that has the store open; so it sees what the file tells of \
      itself: its size, its segments, and the changes that are in the log, whether they are synced or not. How many keys there \
      are and what lives, only the program knows. A terminal is drawn anew with each look; a file or a pipe gets a line.
      """,
    operands: [.store], options: [interval, count, .json],
    examples: [
      ("sediment watch cache.sediment", "until Ctrl-C"),
      (
        "sediment watch cache.sediment --interval 10s --json >> cache.log", "a line of JSON every ten seconds"
      ),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let path = try arguments.required(.store)
    guard let pause = ExpiryText.milliseconds(arguments.value(of: interval) ?? "1s"), pause <= 86_400_000
    else {
      throw ToolFailure.usage("--interval takes a duration up to 1d, such as 500ms, 2s or 1m")
    }
    var left = try arguments.number(of: count, in: 1...Int.max) ?? Int.max
    var before: FileSight?
    while true {
      let sight = try FileSight(path)
      try show(sight, after: before, arguments, console)
      try console.output.flush()
      before = sight
      left -= 1
      if left == 0 { return .fine }
      try Descriptor.pause(milliseconds: Int32(clamping: pause))
    }
  }

  private static func show(
    _ sight: FileSight, after before: FileSight?, _ arguments: ParsedArguments, _ console: Console
  ) throws {
    let rate = before.map { sight.rate(since: $0) }
    if arguments.has(.json) {
      return try console.write(
        .object([
          ("time", .integer(sight.time)), ("fileBytes", .integer(sight.byteCount)),
          ("segments", .count(sight.segmentCount)),
          ("sequence", sight.sequence.map { .integer($0) } ?? .null),
          ("changesPerSecond", rate.map { .number($0) } ?? .null), ("state", .text(sight.state)),
          ("process", sight.process.map { .integer($0) } ?? .null),
        ]))
    }
    let changes = sight.sequence.map { "\($0)" } ?? "?"
    let speed = rate.map { SizeText.decimal($0, places: 0) + " a second" } ?? "-"
    guard Descriptor.output.isTerminal else {
      return try console.write(
        "\(TimeText.text(milliseconds: sight.time))  \(sight.byteCount) bytes  \(SizeText.count(sight.segmentCount, "segment"))  "
          + "change \(changes)  \(speed)  \(sight.state)\n")
    }
    var table = Table(rightAligned: [false, false])
    table.add(["file", SizeText.bytes(sight.byteCount)])
    table.add(["segments", "\(sight.segmentCount)"])
    table.add(["last change", changes])
    table.add(["changes", speed])
    table.add(["state", sight.state])
    table.add(["last opened by", sight.process.map { "process \($0)" } ?? "?"])
    let lines = table.text.replacing("\n", with: "\u{1b}[K\n")
    try console.output.write(
      "\u{1b}[H\u{1b}[J\(ByteText.key(Array(sight.path.utf8)))  \(TimeText.text(milliseconds: sight.time))\n\n\(lines)\nCtrl-C ends\n"
    )
  }
}

/// What a file tells of itself at one moment, without a lock.
struct FileSight {
  let path: String
  /// In milliseconds since 1970.
  let time: UInt64
  let byteCount: UInt64
  let segmentCount: Int
  /// The number of the last change that is in the log; nil if that cannot be told now.
  let sequence: UInt64?
  let state: String
  let process: UInt64?
  private let clock: UInt64

  init(_ path: String) throws {
    self.path = path
    let disk = SystemDisk()
    let glance = try FileGlance(path: path, on: disk)
    let head = try glance.head()
    let headers = try glance.segmentHeaders(of: head)
    time = disk.wallClock()
    clock = disk.monotonicClock()
    byteCount = try glance.byteCount()
    segmentCount = headers.count
    let hot = headers.filter { $0.identity.kind == .hot }
    let last = hot.max { $0.identity.generation < $1.identity.generation }
    if let last {
      let records = try glance.segment(last, of: head).records
      sequence = records.last?.header.sequence.rawValue ?? last.base.rawValue
    } else {
      sequence = nil
    }
    process = glance.owner()?.processNumber
    state = head.leading.state == .closed ? "closed" : "open, or was when its writer died"
  }

  /// How many changes there were in a second since an earlier sight.
  func rate(since before: FileSight) -> Double {
    guard let sequence, let earlier = before.sequence, sequence >= earlier, clock > before.clock else {
      return 0
    }
    return Double(sequence - earlier) * 1e9 / Double(clock - before.clock)
  }
}
