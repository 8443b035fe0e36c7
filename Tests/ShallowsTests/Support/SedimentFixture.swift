import Foundation
import Sediment
import SedimentTesting
import Shallows

/// A store on a simulated disk.
struct SedimentFixture {
  static let path = "data/values.sediment"

  let disk: SimulatedDisk
  let store: SedimentStore

  init(durability: SedimentDurability = .unsynced, on disk: SimulatedDisk = SimulatedDisk(seed: 1)) throws {
    self.disk = disk
    store = try SedimentStore(
      path: Self.path, options: SedimentOptions(durability: durability), disk: disk)
  }

  /// The values as numbers, each in a byte.
  func numbers(_ collection: String? = nil) -> Storage<String, Int> {
    SedimentStorage(store, collection: collection).numbers
  }

  /// What a power failure now would leave, without anything that was not synced.
  func afterPowerLoss() throws -> SedimentFixture {
    try SedimentFixture(on: disk.afterPowerLoss(.nothing))
  }
}

extension SedimentStorage {
  var numbers: Storage<String, Int> {
    mapKeys({ (key: String) in Filename(rawValue: key) }, inverse: { $0.rawValue })
      .mapValues(
        transformIn: { Int(try $0.first.unwrap()) }, transformOut: { Data([UInt8(truncatingIfNeeded: $0)]) })
  }
}

/// A folder of a test's own, which goes with it.
final class TestFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("shallows-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}
