internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits

/// The life of one contender's store with one set of data, each part of it measured.
struct StoreSession {
  let contender: Contender
  let data: DataSet
  let workloads: [Workload]
  let sampleCountMax: Int
  /// After how many seconds a loop of single writes stops.
  let secondsMax: Double
  let folder: String
  let program: String

  /// What was measured of a workload; ``Unsupported`` where the contender or the machine cannot do it.
  typealias Outcomes = [Workload: Result<Sample, Unsupported>]

  /// Makes a store, does everything to it, and removes it.
  func outcomes() throws -> Outcomes {
    try Room.warm((folder as NSString).deletingLastPathComponent, storeByteCount: data.byteCount * 3 / 2)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var life = StoreLife(self)
    var outcomes: Outcomes = [:]
    for workload in workloads {
      do {
        outcomes[workload] = .success(try life.sample(of: workload))
      } catch let error as Unsupported {
        outcomes[workload] = .failure(error)
      }
    }
    try life.end()
    return outcomes
  }

  /// What the store is opened for; another folder is that of another store.
  func place(_ folder: String? = nil, isSynced: Bool = false, threadCount: Int = 1) -> StorePlace {
    StorePlace(
      folder: folder ?? self.folder, keyCount: data.keyCount, isSynced: isSynced,
      isCompressible: data.corpus != nil, threadCount: threadCount,
      isMemoryLimited: workloads.contains(.limited))
  }
}

/// What all files below a folder take of the disk.
package func diskByteCount(of folder: String) throws -> Int {
  var byteCount = 0
  for file in try FileManager.default.subpathsOfDirectory(atPath: folder) {
    var status = stat()
    guard unsafe lstat("\(folder)/\(file)", &status) == 0 else { throw SystemFailure("looking at \(file)") }
    // In these units, whatever the file system's blocks are.
    byteCount += Int(status.st_blocks) * 512
  }
  return byteCount
}
