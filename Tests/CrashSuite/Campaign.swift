import Foundation

/// Which cases of a layer are tried: in a short run always the same ones, in a long one those that no run before it
/// has tried.
struct Campaign {
  let isLong: Bool
  /// The state that long runs leave to the next one, in a file of the layer's; nil for none.
  private let file: URL?
  private var next: UInt64
  private let first: UInt64
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
    next = 0
    if let file, let kept = try? String(contentsOf: file, encoding: .utf8) {
      let number = UInt64(kept.trimmingCharacters(in: .whitespacesAndNewlines))
      if number == nil { Self.warn("\(file.path) holds no number; \(layer.name) begins with its first case") }
      next = number ?? 0
    }
    first = next
    end = began.addingTimeInterval(options.secondsPerLayer)
  }

  var seconds: Double { Date().timeIntervalSince(began) }

  /// The seed of the next case; nil once it is enough.
  mutating func nextSeed(of count: (short: Int, long: Int)) -> UInt64? {
    let done = Int(next - first)
    if isLong {
      if done >= caseCount ?? count.long, Date() >= end { return nil }
    } else if done >= caseCount ?? count.short {
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

  /// Notes that all cases so far were tried.
  mutating func save() { save(next) }

  private mutating func save(_ number: UInt64) {
    guard let file else { return }
    saved = Date()
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("\(number)\n".utf8).write(to: file, options: .atomic)
    } catch {
      Self.warn("the next run will try the same again: \(error)")
    }
  }

  private static func warn(_ text: String) {
    FileHandle.standardError.write(Data("CrashSuite: \(text)\n".utf8))
  }
}
