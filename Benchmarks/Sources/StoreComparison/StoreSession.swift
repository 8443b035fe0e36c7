internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits

/// The life of one contender's store with one set of data, each part of it measured.
struct StoreSession {
  let contender: Contender
  let data: DataSet
  let life: Life
  let sampleCountMax: Int
  let timing: Timing
  let folder: String
  let program: String

  /// What was measured of a workload; ``Unsupported`` where the contender or the machine cannot do it.
  typealias Outcomes = [Workload: Result<Sample, Unsupported>]

  /// Makes a store, does everything to it, and removes it.
  func outcomes() throws -> Outcomes {
    guard life.isOnOneProcessor else { return try outcomesByAll() }
    do {
      return try Processors.onOne { try outcomesByAll() }
    } catch let error as Unsupported {
      return Dictionary(uniqueKeysWithValues: life.workloads.map { ($0, .failure(error)) })
    }
  }

  private func outcomesByAll() throws -> Outcomes {
    try Room.warm((folder as NSString).deletingLastPathComponent, storeByteCount: data.byteCount * 3 / 2)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var life = StoreLife(self)
    var outcomes: Outcomes = [:]
    for workload in self.life.workloads {
      do {
        outcomes[workload] = .success(try life.sample(of: workload))
      } catch let error as Unsupported {
        outcomes[workload] = .failure(error)
      }
    }
    try life.end()
    return outcomes
  }

  /// What the store is opened for.
  func place(isSynced: Bool = false) -> StorePlace {
    StorePlace(
      folder: folder, keyCount: data.keyCount, isSynced: isSynced,
      isCompressible: data.corpus != nil,
      threadCount: life.threadCount, isMemoryLimited: life.workloads.contains(.limited))
  }
}

/// What all files below a folder take of the disk.
package func diskByteCount(of folder: String) throws -> Int {
  var byteCount = 0
  for file in try FileManager.default.subpathsOfDirectory(atPath: folder) {
    var status = stat()
    guard unsafe lstat("\(folder)/\(file)", &status) == 0 else {
      // The background of a store removes files meanwhile.
      if errno == ENOENT { continue }
      throw SystemFailure("looking at \(file)")
    }
    // In these units, whatever the file system's blocks are.
    byteCount += Int(status.st_blocks) * 512
  }
  return byteCount
}
