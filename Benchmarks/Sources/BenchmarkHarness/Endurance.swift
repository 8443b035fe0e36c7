public import Foundation

/// How contenders fared in an hour of the same work, looked at again and again.
public struct Endurance: Codable, Equatable, Sendable {
  /// What was seen in one stretch of the work.
  public struct Point: Codable, Equatable, Sendable {
    /// Seconds from the beginning to the end of the stretch.
    public var seconds: Double

    /// The time of one operation.
    public var nanosecondsAStep: Double

    /// The processor time of the whole process for one operation.
    public var processorNanosecondsAStep: Double

    /// What the files took of the disk at the end, by the bytes of keys and values.
    public var bytesAByte: Double

    /// Creates a point.
    public init(
      seconds: Double, nanosecondsAStep: Double, processorNanosecondsAStep: Double, bytesAByte: Double
    ) {
      self.seconds = seconds
      self.nanosecondsAStep = nanosecondsAStep
      self.processorNanosecondsAStep = processorNanosecondsAStep
      self.bytesAByte = bytesAByte
    }
  }

  /// What one contender did.
  public struct Series: Codable, Equatable, Sendable {
    /// Its name and version.
    public var name: String

    /// What was seen of it, in the order of time.
    public var points: [Point]

    /// Creates a series.
    public init(name: String, points: [Point]) {
      self.name = name
      self.points = points
    }
  }

  /// When the run began.
  public var date: Date

  /// What it ran on.
  public var machine: Machine

  /// Whether this was a short run whose figures mean little.
  public var isQuick: Bool

  /// One for each contender.
  public var series: [Series]

  /// Collects what came of a run.
  public init(date: Date, machine: Machine, isQuick: Bool, series: [Series]) {
    self.date = date
    self.machine = machine
    self.isQuick = isQuick
    self.series = series
  }

  /// What each chart shows: the name of its file, and the value of a point.
  public static let charts: [(name: String, value: @Sendable (Point) -> Double)] = [
    ("hour-speed", { $0.nanosecondsAStep }), ("hour-processor", { $0.processorNanosecondsAStep }),
    ("hour-size", { $0.bytesAByte }),
  ]

  /// The points of one value, as `Charts/lines.gnuplot` reads them: names, then a block for each, then the text below.
  public func lines(_ value: (Point) -> Double) -> String {
    let blocks = series.map { series in
      series.points.map { point in
        let value = value(point)
        return "\(point.seconds)\t\(value)\t\(value)\t\(value)"
      }.joined(separator: "\n")
    }
    let heading = "\(machine.summary)\n\(date.formatted(.iso8601))"
    return ([series.map { enhancedText($0.name) }.joined(separator: "\n")] + blocks + [heading])
      .joined(separator: "\n\n\n") + "\n"
  }

  /// Writes `hour.json` and what its charts are drawn from into a folder.
  public func write(to folder: String) throws {
    let folder = URL(fileURLWithPath: folder, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    try encoder.encode(self).write(to: folder.appending(path: "hour.json"), options: .atomic)
    for (name, value) in Endurance.charts {
      try Data(lines(value).utf8).write(to: folder.appending(path: "\(name).tsv"), options: .atomic)
    }
  }
}
