import Foundation
import Sediment
import SedimentDisk
import SedimentTesting
import Shallows
import Testing

/// Folders of files that move into a store.
@Suite struct FolderImportTests {
  private let place = FileManager.default.temporaryDirectory
    .appendingPathComponent("folder-import-\(UUID().uuidString)")

  private var folderURL: URL { place.appendingPathComponent("folder") }

  private func folder(_ encoder: Filename.Encoder) -> DiskFolderStorage {
    DiskFolderStorage(folderURL: folderURL, filenameEncoder: encoder)
  }

  private func withStore(_ body: (SedimentStore) throws -> Void) throws {
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let store = try SedimentStore(url: place.appendingPathComponent("store.sediment"))
    try body(store)
    try store.close()
  }

  private static let names = (0..<1_500).map { Filename(rawValue: "name?\($0)>ü") }

  private static func data(_ filename: Filename) -> Data { Data(filename.rawValue.utf8 + [0, 255]) }

  private func fill(_ folder: DiskFolderStorage, _ names: [Filename]) throws {
    let sync = folder.makeSyncStorage()
    for name in names { try sync.set(Self.data(name), forKey: name) }
  }

  @Test(arguments: [0, 1, 2])
  func `A folder of any encoding moves in, and nothing is left of it but what is not its own`(
    _ number: Int
  ) throws {
    let encoder = [
      Filename.Encoder.base64URL, .noEncoding, DiskFolderStorage(folderURL: folderURL).filenameEncoder,
    ][number]
    try withStore { store in
      let folder = folder(encoder)
      try fill(folder, Self.names)
      let foreign = folderURL.appendingPathComponent("..not a name")
      if number == 0 { try Data([1]).write(to: foreign) }
      let report = try SedimentStorage(store).importing(folder)
      #expect(report.importedCount == 1_500 && report.presentCount == 0)
      #expect(report.byteCount == UInt64(Self.names.reduce(0) { $0 + Self.data($1).count }))
      #expect(report.otherFiles.map(\.lastPathComponent) == (number == 0 ? ["..not a name"] : []))
      let sync = SedimentStorage(store).makeSyncStorage()
      for name in Self.names {
        let value = try sync.retrieve(forKey: name)
        #expect(value == Self.data(name))
      }
      #expect(try folder.filenames().isEmpty)
      #expect(try store.count() == 1_500)
    }
  }

  /// What the keys of a store have, and the files of a folder, by their names.
  private func contents(_ store: SedimentStore, _ folder: DiskFolderStorage) throws -> [String: Set<Data>] {
    var all: [String: Set<Data>] = [:]
    try store.forEach { key, value in
      all[String(sedimentBytes: key) ?? "", default: []].insert(Data(sedimentBytes: value))
      return .continue
    }
    for (filename, url) in try folder.filenames() {
      all[filename.rawValue, default: []].insert(try Data(contentsOf: url))
    }
    return all
  }

  @Test
  func
    `A file whose name has the same data already goes, and one that has other data stays, as does the value`()
    throws
  {
    try withStore { store in
      let folder = folder(.base64URL)
      let names = Array(Self.names.prefix(4))
      try fill(folder, names)
      let storage = SedimentStorage(store)
      try store.set("another", forKey: names[1].rawValue)
      try store.set(Self.data(names[2]), forKey: names[2].rawValue)
      try store.set(Self.data(names[3]), forKey: names[3].rawValue, expiry: .after(.seconds(1_000)))
      let before = try contents(store, folder)
      let report = try storage.importing(folder)
      #expect(report.importedCount == 1 && report.presentCount == 1)
      let differing = [1, 3].map { folder.fileURL(forFilename: names[$0]).path }
      #expect(Set(report.differingFiles.map(\.path)) == Set(differing))
      #expect(try Set(folder.filenames().map(\.url.path)) == Set(differing))
      #expect(try contents(store, folder) == before)
      let second = try storage.importing(folder)
      #expect(second.importedCount == 0 && second.presentCount == 0 && second.differingFiles.count == 2)
      #expect(try contents(store, folder) == before)
    }
  }

  /// Folders with names in common, whose data is older or newer than the store's: whatever was anywhere before an import
  /// is somewhere after it.
  @Test(arguments: 0..<20)
  func `Imports of several folders take no data away that the store has not`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try withStore { store in
      let storage = SedimentStorage(store)
      let folders = ["one", "two", "three"].map {
        DiskFolderStorage(folderURL: place.appendingPathComponent($0), filenameEncoder: .noEncoding)
      }
      for _ in 0..<100 {
        let folder = folders[Int.random(in: 0..<3, using: &random)]
        let name = Filename(rawValue: "k\(Int.random(in: 0..<12, using: &random))")
        let data = Data("\(Int.random(in: 0..<3, using: &random))".utf8)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          let before = try contents(store, folder)
          let count = try folder.filenames().count
          let report = try storage.importing(folder)
          #expect(try contents(store, folder) == before)
          #expect(report.importedCount + report.presentCount + report.differingFiles.count == count)
          #expect(try folder.filenames().count == report.differingFiles.count)
        case 1: try store.set(data, forKey: name.rawValue)
        default: try folder.makeSyncStorage().set(data, forKey: name)
        }
      }
    }
  }

  @Test func `An import loses nothing whichever call of the disk fails, and whatever is not synced is gone`()
    throws
  {
    defer { try? FileManager.default.removeItem(at: place) }
    var (call, isReached) = (0, true)
    while isReached {
      try? FileManager.default.removeItem(at: place)
      let disk = SimulatedDisk(seed: 1)
      let options = SedimentOptions(durability: .unsynced, access: .unmapped, compression: .off)
      let store = try SedimentStore(path: "data/store", options: options, disk: disk)
      try store.set("another", forKey: "b")
      try store.sync()
      let folder = folder(.noEncoding)
      try fill(folder, ["a", "b", "c"])
      let before = try contents(store, folder)
      let index = disk.callCount + call
      disk.inject(.error(.inputOutput), atCall: index)
      _ = try? SedimentStorage(store).importing(folder)
      isReached = disk.callCount > index
      let after = disk.afterPowerLoss(.nothing)
      try? store.close()
      let restarted = try SedimentStore(path: "data/store", options: options, disk: after)
      #expect(try contents(restarted, folder) == before, "call \(call)")
      try restarted.close()
      call += 1
    }
    #expect(call > 2)
  }

  @Test func `Names that begin as those of unfinished files do are keys, and move in`() throws {
    try withStore { store in
      let folder = folder(.noEncoding)
      let names: [Filename] = [
        ".dat.nosync", ".dat.nosync-mine", ".dat.nosync12", ".dat.nosync12.abc", "b/.dat.nosync12.abcdefg",
      ]
      try fill(folder, names)
      try Data([1]).write(to: folderURL.appendingPathComponent(".dat.nosync1F.abc9EF"))
      #expect(try Set(folder.filenames().map(\.filename)) == Set(names))
      let report = try SedimentStorage(store).importing(folder)
      #expect(report.importedCount == names.count)
      #expect(report.otherFiles.map(\.lastPathComponent) == [".dat.nosync1F.abc9EF"])
      for name in names {
        #expect(try store.retrieve(forKey: name.rawValue, as: Data.self) == Self.data(name))
      }
    }
  }

  @Test func `A link in place of a file stays and keeps no other from moving`()
    throws
  {
    try withStore { store in
      let folder = folder(.base64URL)
      let names = Array(Self.names.prefix(1_200))
      try fill(folder, names)
      let bad = folder.fileURL(forFilename: names[7])
      try FileManager.default.removeItem(at: bad)
      try FileManager.default.createSymbolicLink(
        atPath: bad.path, withDestinationPath: folderURL.appendingPathComponent("nowhere").path)
      let storage = SedimentStorage(store)
      let report = try storage.importing(folder)
      #expect(report.importedCount == names.count - 1)
      #expect(report.otherFiles.map(\.lastPathComponent) == [bad.lastPathComponent])
      let sync = storage.makeSyncStorage()
      for name in names where name != names[7] {
        let value = try sync.retrieve(forKey: name)
        #expect(value == Self.data(name))
      }
      try FileManager.default.removeItem(at: bad)
      try Self.data(names[7]).write(to: bad)
      _ = try storage.importing(folder)
      for name in names {
        let value = try sync.retrieve(forKey: name)
        #expect(value == Self.data(name))
      }
      #expect(try folder.filenames().isEmpty)
    }
  }

  @Test func `A folder whose names cannot be told moves in by names that are given`() throws {
    try withStore { store in
      let folder = folder(.custom { "x" + $0.base64URLEncoded() })
      try fill(folder, Array(Self.names.prefix(3)))
      let storage = SedimentStorage(store)
      #expect {
        try storage.importing(folder)
      } throws: {
        $0.storageFailureKind == .notSupported
      }
      let report = try storage.importing(folder, filenames: Self.names.prefix(5))
      #expect(report.importedCount == 3 && report.presentCount == 0)
      #expect(try store.count() == 3)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folderURL.path) == [])
    }
  }

  @Test func `Nothing outside the folder is imported, removed, set or read`() throws {
    try withStore { store in
      let folder = folder(.noEncoding)
      try fill(folder, ["inside"])
      let outside = place.appendingPathComponent("outside", isDirectory: true)
      try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
      let secret = outside.appendingPathComponent("secret")
      try Data([9]).write(to: secret)
      try FileManager.default.createSymbolicLink(
        at: folderURL.appendingPathComponent("link"), withDestinationURL: outside)
      let leaf = folderURL.appendingPathComponent("leaf")
      try FileManager.default.createSymbolicLink(at: leaf, withDestinationURL: secret)
      let sync = folder.makeSyncStorage()
      try sync.set(Data([8]), forKey: "leaf")
      #expect(try sync.retrieve(forKey: "leaf") == Data([8]) && Data(contentsOf: secret) == Data([9]))
      try sync.remove(forKey: "leaf")
      try FileManager.default.createSymbolicLink(at: leaf, withDestinationURL: secret)
      try sync.remove(forKey: "leaf")
      let names: [Filename] = ["../outside/secret", "link/secret", "inside", "inside"]
      let report = try SedimentStorage(store).importing(folder, filenames: names)
      #expect(report.importedCount == 1 && report.presentCount == 0 && report.unreadableFiles == [])
      #expect(try SedimentStorage(store).importing(folder).importedCount == 0)
      #expect(try store.count() == 1)
      for name in ["../outside/secret", "link/secret"] as [Filename] {
        #expect(throws: FilenameError.leavesFolder(name)) { try sync.set(Data([1]), forKey: name) }
        #expect(throws: FilenameError.leavesFolder(name)) { try sync.retrieve(forKey: name) }
        #expect(throws: FilenameError.leavesFolder(name)) { try sync.remove(forKey: name) }
      }
      try sync.removeAll()
      folder.clear()
      #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path) == ["secret"])
      #expect(try Data(contentsOf: secret) == Data([9]))
    }
  }

  @Test func `A folder that is not there is empty`() throws {
    try withStore { store in
      let report = try SedimentStorage(store).importing(folder(.base64URL))
      #expect(report == FolderImportReport())
    }
  }
}
