import Foundation
import Sediment
import Shallows
import Testing

/// Keys that are equal as text, and have other bytes.
struct TextKeyTests {
  private static let forms = ["caf\u{e9}", "cafe\u{301}"]

  private func tiers(_ folder: TestFolder) throws -> [Storage<String, Data>] {
    let store = try SedimentStore(url: folder.file("a.sediment"))
    let files = [Filename.Encoder.base64URL, .noEncoding, .custom { $0.rawValue + "-" }].enumerated()
    let folders = files.map { number, encoder in
      DiskFolderStorage(folderURL: folder.file("\(number)"), filenameEncoder: encoder).usingStringKeys()
    }
    let memory: [Storage<String, Data>] = [
      MemoryStorage().asStorage(), LRUStorage(capacity: .count(9)).asStorage(),
      MemoryStorage<Filename, Data>().usingStringKeys(),
    ]
    return memory + folders + [SedimentStorage(store).usingStringKeys()]
  }

  @Test(arguments: [false, true])
  func `Keys that are equal as text are one key in every tier`(isTurned: Bool) async throws {
    let folder = try TestFolder()
    let (one, other) = isTurned ? (Self.forms[1], Self.forms[0]) : (Self.forms[0], Self.forms[1])
    for tier in try tiers(folder) {
      try await tier.set(Data([1]), forKey: one)
      #expect(try await tier.retrieve(forKey: other) == Data([1]))
      #expect(try await tier.retrieve(forKeys: [one, other]) == [Data([1]), Data([1])])
      try await tier.set(Data([2]), forKey: other)
      #expect(try await tier.retrieve(forKey: one) == Data([2]))
      try await tier.remove(forKey: other)
      #expect(try await tier.retrieve(forKeys: [one, other]) == [nil, nil])
    }
  }

  @Test(arguments: forms)
  func `Files that were named before in another way are found, replaced and removed`(form: String)
    async throws
  {
    let folder = try TestFolder()
    let files = DiskFolderStorage(folderURL: folder.url, filenameEncoder: .base64URL)
    let old = folder.file(Filename(rawValue: form).base64URLEncoded())
    for key in Self.forms.map(Filename.init(rawValue:)) {
      try Data([1]).write(to: old)
      #expect(try await files.retrieve(forKey: key) == Data([1]))
      #expect(files.fileURL(forFilename: key).path == old.path)
      try await files.set(Data([2]), forKey: key)
      #expect(try Data(contentsOf: old) == Data([2]))
      try await files.remove(forKey: key)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }
  }

  @Test func `Of several files with one name that counts which is named as new ones are`() async throws {
    let folder = try TestFolder()
    let files = DiskFolderStorage(folderURL: folder.file("f"), filenameEncoder: .base64URL)
    try FileManager.default.createDirectory(at: files.folderURL, withIntermediateDirectories: true)
    for (number, form) in Self.forms.enumerated() {
      let name = Filename(rawValue: form).base64URLEncoded()
      try Data([UInt8(number)]).write(to: files.folderURL.appendingPathComponent(name))
    }
    #expect(try files.filenames().map(\.filename.rawValue.utf8.count) == [5])
    #expect(try await files.retrieve(forKey: Filename(rawValue: Self.forms[1])) == Data([0]))
    let store = try SedimentStore(url: folder.file("a.sediment"))
    let report = try SedimentStorage(store).importing(files)
    #expect(report.importedCount == 1 && report.otherFiles.count == 1)
    #expect(try await SedimentStorage(store).retrieve(forKey: Filename(rawValue: Self.forms[1])) == Data([0]))
  }
}
