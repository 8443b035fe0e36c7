import Foundation

/// Which cases of a layer are tried: in a short run always the same ones, in a long one those that no run before it
/// has tried.
struct Campaign {
  let isLong: Bool
  /// The state that long runs leave to the next one, in a file of the layer's; nil for none.
  private let file: URL?
  private var next: UInt64
  /// The number of the first case.
  let first: UInt64
  /// How much long runs before this one have tried, in the layer's unit.
  let countBefore: Int
  private var count: Int
  /// Whether the first finding is enough.
  let endsWithFinding: Bool
  private let caseCount: Int?
  private let began = Date()
  private var saved = Date.distantPast
  /// When a long run ends, if it has tried what it must.
  private let end: Date

  init(_ layer: any Layer, _ options: SuiteOptions) {
    isLong = options.isLong
    endsWithFinding = options.endsWithFinding
    caseCount = options.caseCount
    file = options.isLong ? options.stateFolder?.appendingPathComponent(layer.name) : nil
    let kept = file.flatMap { Self.kept(in: $0, layer.name) }
    (next, count) = kept ?? (options.firstCase, 0)
    (first, countBefore) = (next, count)
    end = began.addingTimeInterval(options.secondsPerLayer)
  }

  /// How many times as many cases as usual a run tries that looks for one finding.
  private static let patience = 3

  var seconds: Double { Date().timeIntervalSince(began) }

  /// The seed of the next case; nil once it is enough.
  ///
  /// A long run does what is left of as many cases as a layer wants, where the last one was stopped before it had
  /// done them all.
  mutating func nextSeed(of count: (short: Int, long: Int)) -> UInt64? {
    let done = Int(next - first)
    if isLong {
      let left = count.long - Int(first % UInt64(count.long))
      if done >= caseCount ?? left, Date() >= end { return nil }
    } else if done >= caseCount ?? (endsWithFinding ? Self.patience * count.short : count.short) {
      return nil
    }
    defer {
      next += 1
      // A run that is stopped has tried what it has, but for the cases that are being tried.
      let runningCount = min(next - first, UInt64(RunningCases.countMax))
      if isLong, saved.timeIntervalSinceNow < -1 { save(next - runningCount) }
    }
    return next
  }

  /// Notes what a case came to.
  mutating func add(_ result: LayerResult) { count += result.count }

  /// Notes that all cases so far were tried.
  mutating func save() { save(next) }

  private mutating func save(_ number: UInt64) {
    guard let file else { return }
    saved = Date()
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("\(number) \(count)\n".utf8).write(to: file, options: .atomic)
    } catch {
      Self.warn("the next run will try the same again: \(error)")
    }
  }

  /// The number of the next case and how much was tried; nil if no run has left them.
  private static func kept(in file: URL, _ layer: String) -> (next: UInt64, count: Int)? {
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
    let numbers = text.split(whereSeparator: \.isWhitespace)
    guard numbers.count == 2, let next = UInt64(numbers[0]), let count = Int(numbers[1]) else {
      warn("\(file.path) does not hold two numbers; \(layer) begins with its first case")
      return nil
    }
    return (next, count)
  }

  private static func warn(_ text: String) {
    FileHandle.standardError.write(Data("CrashSuite: \(text)\n".utf8))
  }
}
