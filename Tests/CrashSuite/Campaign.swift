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
    let kept = file.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
    next = kept.flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
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
      // A run that is stopped has tried what it has.
      if isLong, saved.timeIntervalSinceNow < -1 { save() }
    }
    return next
  }

  mutating func save() {
    guard let file else { return }
    saved = Date()
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try? Data("\(next)\n".utf8).write(to: file, options: .atomic)
  }
}
