import Foundation
import Sediment
import Testing
import Vellum

/// Data of as many bytes as it is told; none below zero.
private struct Parcel: Archivable {
  struct CannotBeWritten: Error {}

  var primaryKey: String
  var byteCount = 1

  func archiveData() throws -> Data {
    if byteCount < 0 { throw CannotBeWritten() }
    return Data(primaryKey.utf8.prefix(10)) + Data(count: byteCount)
  }

  static func decode(archive data: Data) throws -> Archivable {
    Parcel(primaryKey: String(decoding: data.prefix { $0 != 0 }, as: UTF8.self))
  }
}

#if os(macOS) || os(Linux)
  @Suite struct RefusalTests {
    private let folders = UserFolders()

    @Test func `What is refused is a line on standard error each, if there is no observer`() async {
      let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
        [path = folders.path as String] in
        enter(path)
        let parcels = try ArchivesFactory.shared.archives(
          for: Parcel.self, trySetMaxMemorySize: 100.bytes, trySetMaxDiskSize: 200.bytes)
        parcels.record(Parcel(primaryKey: "small"))
        parcels.record(Parcel(primaryKey: "large", byteCount: 201))
        parcels.record(Parcel(primaryKey: "broken", byteCount: -1))
        parcels.record(Parcel(primaryKey: String(repeating: "k", count: 70_000)))
        #expect(parcels.accessAll().map(\.primaryKey) == ["small"])
        ArchivesFactory.shared.observer = { _ in }
        parcels.record(Parcel(primaryKey: "large", byteCount: 201))
        exit(0)
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      let lines = text.split(separator: "\n").filter { $0.hasPrefix("Vellum: ") }
      #expect(lines.count == 3)
      #expect(
        lines.first?.hasPrefix("Vellum: An archive of 'parcel' has 206 bytes and fits nowhere.") == true)
      #expect(lines.dropFirst().first?.contains("could not be turned into data") == true)
      #expect(lines.last?.contains("A key of 70000 bytes is larger than the limit of 65535 bytes.") == true)
    }
  }
#endif
