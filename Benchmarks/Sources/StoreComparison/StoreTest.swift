public import BenchmarkHarness
internal import Foundation

/// Puts stores to the same test, one after another in turns, with fresh files each time.
///
/// A storage of your own takes two functions, here one of the library Shallows:
///
///     struct CityCache: BenchmarkStore {
///       let cities = MemoryStorage<String, Data>().makeSyncStorage()
///       func set(_ key: BenchmarkKey, _ value: RawSpan) throws {
///         try cities.set(value.withUnsafeBytes { Data($0) }, forKey: key.description)
///       }
///       func retrieve(_ key: BenchmarkKey, into buffer: inout [UInt8]) throws -> Bool {
///         buffer = try Array(cities.retrieve(forKey: key.description))
///         return true
///       }
///     }
///     let own = Contender("cities", version: "1") { _ in CityCache() }
///     print(Table(try StoreTest([own, .sediment], folder: "/tmp").run()).text)
public struct StoreTest: Sendable {
  /// Who takes part: rows are in this order.
  public var contenders: [Contender]

  /// The folder for the contenders' files, which are removed.
  public var folder: String

  /// How many keys there are.
  public var keyCount = 100_000

  /// How many bytes each value has.
  public var valueByteCount = 100

  /// For about how many seconds each store is overwritten until it is measured; kept figures take thirty and more.
  public var secondsMax = 4.0

  /// How often everything is measured.
  public var roundCount = 7

  /// What the compiler's version is, which a program cannot ask for.
  public var swiftVersion: String?

  /// A test of these contenders.
  public init(_ contenders: [Contender], folder: String) {
    self.contenders = contenders
    self.folder = folder
  }

  /// Does everything to each in each round: loads, reads in all ways, overwrites, mixes, removes, opens again.
  ///
  /// What a contender cannot do says why. It throws if a contender fails, or gives back another value than was set.
  public func run() throws -> Report {
    let data = DataSet("own", keyCount: keyCount, valueByteCount: valueByteCount, drawCount: 4)
    let sheet = ComparisonSheet(
      "\(valueByteCount) B", data, Life.ofAnyStore, contenders: contenders, sampleCountMax: keyCount,
      timing: .scaled(toSeconds: secondsMax), directory: folder, program: "")
    let (groups, _) = try sheet.section.measured(roundCount: roundCount)
    var report = Report(
      groups: groups, machine: Machine.current(directory: folder, swiftVersion: swiftVersion),
      date: .now, roundCount: roundCount, isQuick: false)
    report.contenders = contenders.map(\.note)
    return report
  }
}
