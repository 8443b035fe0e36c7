package import BenchmarkHarness
internal import Foundation

/// One contender after another overwrites random keys for a long time, and is looked at again and again.
package struct EnduranceRun {
  private let contenders: [Contender]
  private let data: DataSet
  private let seconds: Double
  private let secondsBetweenLooks: Double
  private let directory: String

  /// A run of so many seconds for each contender, whose files lie in a folder of their own in `directory`.
  package init(
    _ contenders: [Contender], data: DataSet, seconds: Double, secondsBetweenLooks: Double, directory: String
  ) {
    // Noise is seen in the curve itself.
    self.contenders = contenders.filter { $0.repeats == nil }
    self.data = data
    self.seconds = seconds
    self.secondsBetweenLooks = secondsBetweenLooks
    self.directory = directory
  }

  /// What was seen; `progress` is told who comes next.
  package func series(progress: (String) -> Void = { _ in }) throws -> [Endurance.Series] {
    try contenders.map { contender in
      progress(contender.name)
      let session = StoreSession(
        contender: contender, data: data, life: Life([.overwrite]), sampleCountMax: 50_000, timing: .full,
        folder: "\(directory)/hour-\(contender.identifier)", program: "")
      defer { try? FileManager.default.removeItem(atPath: session.folder) }
      var life = StoreLife(session)
      let points = try life.points(seconds: seconds, secondsBetweenLooks: secondsBetweenLooks)
      try life.end()
      return Endurance.Series(name: "\(contender.name) \(contender.version)", points: points)
    }
  }
}

extension StoreLife {
  /// What is seen of a store that is overwritten for a long time.
  fileprivate mutating func points(seconds: Double, secondsBetweenLooks: Double) throws -> [Endurance.Point] {
    let store = try prepared()
    var points: [Endurance.Point] = []
    var elapsed = 0.0
    while elapsed < seconds {
      let sample = try overwrite(store, seconds: secondsBetweenLooks)
      elapsed += Double(sample.measured) / 1e9
      points.append(
        Endurance.Point(
          seconds: elapsed, nanosecondsAStep: sample.value(as: .time),
          processorNanosecondsAStep: sample.processorValue ?? 0,
          bytesAByte: Double(try diskByteCount(of: session.folder)) / Double(ledger.byteCount())))
    }
    try checkOverwritten(store, ledger.states().masks)
    return points
  }
}
