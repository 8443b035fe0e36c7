import Foundation
import Sediment
import SedimentDisk
import SedimentSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Each kind of path for each way into the engine: the exact outcome, what changes on the disk, and that no descriptor
/// is left.
struct EnginePathTests {
  /// A way in, as the table calls it.
  enum Way: String, CaseIterable {
    case creating, existing, reading, backup, verify, salvage, saving, inspect, destroy
  }

  @Test(arguments: Way.allCases)
  func `Every kind of path has the outcome of the table`(way: Way) async {
    // The current directory and the rights are the process's, and a call that never returns ends this one.
    await #expect(processExitsWith: .success) { [way = way.rawValue as String] in
      PathFolder.beginProcess()
      let trial = try PathTrial(way)
      try trial.run { path, _ in
        do {
          try Way(rawValue: way)!.go(path, trial)
          return nil
        } catch let error as SedimentError {
          return error.code.description
        }
      }
    }
  }

  @Test func `A file has the permissions that were asked for, less those of the mask`() async {
    await #expect(processExitsWith: .success) {
      PathFolder.beginProcess()
      umask(0o027)
      let directory = try PathTrial("").directory
      for (asked, found) in [(0o600, 0o600), (0o666, 0o640), (0o777, 0o750)] as [(UInt16, mode_t)] {
        for isEmpty in [false, true] {
          let path = directory["\(asked) \(isEmpty)"]
          if isEmpty { try Data().write(to: URL(fileURLWithPath: path)) }
          let store = try SedimentStore(path: path, options: SedimentOptions(permissions: asked))
          try store.set("value", forKey: "key")
          try store.backup(to: path + ".copy")
          try store.close()
          // Those of a file that is there stay.
          try SedimentStore(path: path, options: SedimentOptions(permissions: 0o644)).close()
          #expect(mode(of: path) == found)
          #expect(mode(of: path + ".copy") == 0o600)
        }
      }
      for impossible in [0, 0o400, 0o060, 0o1600, 0o10600] as [UInt16] {
        let error = #expect(throws: SedimentError.self) {
          try SedimentStore(path: directory["none"], options: SedimentOptions(permissions: impossible))
        }
        #expect(error?.code == .invalidArgument)
      }
      #expect(!FileManager.default.fileExists(atPath: directory["none"]))
    }
  }
}

private func mode(of path: String) -> mode_t {
  var status = stat()
  return unsafe stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
}

extension EnginePathTests.Way {
  fileprivate func go(_ path: String, _ trial: PathTrial) throws {
    switch self {
    case .creating: try use(path, SedimentOptions())
    case .existing: try use(path, SedimentOptions(mustExist: true))
    case .reading:
      let store = try SedimentStore(path: path, options: SedimentOptions(readOnly: true))
      #expect(try store.contains("key"))
      try store.close()
    case .backup:
      let store = try SedimentStore(path: trial.source)
      defer { #expect(throws: Never.self) { try store.close() } }
      try store.backup(to: path)
      try use(path, SedimentOptions(mustExist: true))
    case .verify: #expect(try SedimentStore.verify(path: path).isIntact)
    case .salvage:
      let saved = trial.directory["saved"]
      #expect(try SedimentStore.salvage(from: path, to: saved).isComplete)
      try SedimentStore.destroy(path: saved)
    case .saving:
      #expect(try SedimentStore.salvage(from: trial.source, to: path).isComplete)
      try use(path, SedimentOptions(mustExist: true))
    case .inspect: #expect(try FileGlance(path: path, on: SystemDisk()).head().other != nil)
    case .destroy: try SedimentStore.destroy(path: path)
    }
  }

  /// Opens a store, changes it, closes it, and finds the change by the same path.
  private func use(_ path: String, _ options: SedimentOptions) throws {
    let store = try SedimentStore(path: path, options: options)
    #expect(store.path == path)
    try store.set("new", forKey: "other")
    try store.close()
    let reader = try SedimentStore(path: path, options: SedimentOptions(readOnly: true))
    #expect(try reader.contains("other"))
    try reader.close()
  }
}
