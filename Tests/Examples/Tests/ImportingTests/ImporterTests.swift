import Foundation
import Importing
import Sediment
import SedimentTesting
import Testing

/// Bytes in memory as a source, which may fail from some place on.
struct BytesSource: ImportSource {
  struct Broken: Error {}

  var bytes: [UInt8]
  var brokenFrom = Int.max

  func bytes(from offset: UInt64, max count: Int) throws -> [UInt8] {
    if Int(offset) >= brokenFrom { throw Broken() }
    // In small pieces, so that lines lie across them.
    return Array(bytes.dropFirst(Int(offset)).prefix(min(count, 7, brokenFrom - Int(offset))))
  }
}

@Suite struct ImporterTests {
  private let store: SedimentStore

  init() throws {
    store = try SedimentStore(path: "/import", disk: SimulatedDisk(seed: 1))
  }

  private func json(_ numbers: Range<Int>) -> [UInt8] {
    Array(numbers.map { #"{"id":"\#($0)","name":"user \#($0)"}"# + "\n" }.joined().utf8)
  }

  @Test func `Each line of JSON is found under its identifier, and the import is not done twice`() throws {
    let importer = try Importer(store, into: "users", name: "users.jsonl", batchLineCount: 10)
    let source = BytesSource(bytes: json(0..<95))
    let progress = try importer.run(source, key: LineKeys.jsonIdentifier)
    #expect(progress.lineCount == 95 && progress.offset == UInt64(source.bytes.count))
    let users = try store.collection("users")
    #expect(try users.count() == 95)
    #expect(try users.retrieve(forKey: "17", as: String.self) == #"{"id":"17","name":"user 17"}"#)

    try users.removeAll()
    #expect(try importer.run(source, key: LineKeys.jsonIdentifier) == progress)
    #expect(try users.count() == 0)
    try importer.run(BytesSource(bytes: json(0..<97)), key: LineKeys.jsonIdentifier)
    #expect(try users.keys().map { String(decoding: $0, as: UTF8.self) } == ["95", "96"])
  }

  @Test func `A file of CSV is brought in with all kinds of line ends`() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("import-\(UUID()).csv")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("1,Kharkiv\r\n\n2,Lviv\n3,Kyiv".utf8).write(to: file)
    let importer = try Importer(store, into: "cities", name: "cities.csv")
    #expect(try importer.run(FileSource(file), key: LineKeys.firstColumn).lineCount == 4)
    let cities = try store.collection("cities")
    let found = try cities.retrieve(forKeys: ["1", "2", "3"]).map {
      $0.map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(found == ["1,Kharkiv", "2,Lviv", "3,Kyiv"])
  }

  @Test func `An import that broke off goes on where the last whole batch ended`() throws {
    let importer = try Importer(store, into: "users", name: "users.jsonl", batchLineCount: 10)
    var source = BytesSource(bytes: json(0..<40))
    source.brokenFrom = json(0..<25).count
    #expect(throws: BytesSource.Broken.self) { try importer.run(source, key: LineKeys.jsonIdentifier) }
    #expect(try importer.progress().lineCount == 20)
    #expect(try store.collection("users").count() == 20)
    source.brokenFrom = .max
    #expect(try importer.run(source, key: LineKeys.jsonIdentifier).lineCount == 40)
    #expect(try store.collection("users").count() == 40)
  }

  @Test func `A line without a key is told by its number, and its batch is left out`() throws {
    let importer = try Importer(store, into: "users", name: "users.jsonl", batchLineCount: 10)
    let source = BytesSource(bytes: json(0..<12) + Array("{}\n".utf8))
    let error = #expect(throws: LineError.self) { try importer.run(source, key: LineKeys.jsonIdentifier) }
    #expect(error?.line == 13)
    #expect(try store.collection("users").count() == 10)
  }
}
