import Foundation
import Shallows
import Testing

@Suite struct FolderContentsTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// Names whose Base64 has a plus, a slash within, at its end and twice, and padding.
  private static let awkward: [Filename] = [
    "kharkiv", "a", "ab", "abc", "\u{3}??~~~", "a??", "???", "a?b>c/é", "??x", "\u{3}??\u{3}??x", "a\0b",
    "../../x",
    "名前", "🛶🛶🛶", " ",
  ]

  private func keys(_ encoder: Filename.Encoder) async throws -> Set<Filename> {
    let folder = DiskFolderStorage(folderURL: scratch.file("f"), filenameEncoder: encoder)
    var keys: Set<Filename> = []
    for try await key in folder.keys() { #expect(keys.insert(key).inserted) }
    return keys
  }

  private func set(_ names: [Filename], _ encoder: Filename.Encoder) throws {
    try set(names, DiskFolderStorage(folderURL: scratch.file("f"), filenameEncoder: encoder))
  }

  /// As folders do that are not told how to.
  private func setAsBase64(_ names: [Filename]) throws {
    try set(names, DiskFolderStorage(folderURL: scratch.file("f")))
  }

  private func set(_ names: [Filename], _ folder: DiskFolderStorage) throws {
    let sync = folder.makeSyncStorage()
    for name in names { try sync.set(Data(name.rawValue.utf8), forKey: name) }
  }

  @Test func `Base64 names are found again in the alphabet for URLs`() async throws {
    try set(Self.awkward, .base64URL)
    #expect(try await keys(.base64URL) == Set(Self.awkward))
    #expect(try scratch.files().count == Self.awkward.count)
  }

  @Test func `Base64 names are found again, also those that made directories`() throws {
    // This one needs a directory where the other has its file.
    let names = Self.awkward.filter { $0 != "???" }
    try setAsBase64(names)
    let found = try DiskFolderStorage(folderURL: scratch.file("f")).filenames()
    #expect(Set(found.map(\.filename)) == Set(names) && found.count == names.count)
    for (filename, url) in found {
      #expect(try Data(contentsOf: url) == Data(filename.rawValue.utf8))
    }
    #expect(scratch.exists("f/Az8/fn5+"))
  }

  @Test func `A Base64 name that ends in a slash is found again, and stands in the way of longer ones`()
    throws
  {
    try setAsBase64(["???"])
    #expect(try scratch.files() == ["f/Pz8"])
    #expect(try DiskFolderStorage(folderURL: scratch.file("f")).filenames().map(\.filename) == ["???"])
    #expect(throws: DiskStorage.Error.self) { try setAsBase64(["???x"]) }
  }

  @Test func `Names that are not encoded are their paths`() async throws {
    try set(["a", "b/c", "b/d/e", ".hidden"], .noEncoding)
    #expect(try await keys(.noEncoding) == ["a", "b/c", "b/d/e", ".hidden"])
  }

  @Test func `Custom names cannot be told`() async throws {
    let folder = DiskFolderStorage(folderURL: scratch.file("f"), filenameEncoder: .custom(\.rawValue))
    let unsupported = StorageError.notSupported(.keys, storageName: "disk-f")
    #expect(throws: unsupported) { try folder.filenames() }
    await #expect(throws: unsupported) { for try await _ in folder.keys() {} }
  }

  @Test func `A missing folder has no names, and one that is a file fails`() async throws {
    #expect(try await keys(.base64URL) == [])
    try scratch.write("x", to: "f")
    await #expect(throws: CocoaError.self) { try await keys(.base64URL) }
  }

  @Test func `Files that no name is encoded as are told apart`() throws {
    try set(["abc"], .base64URL)
    // Bad padding, no Base64, an encoding with bits too many, bytes that are no text, a directory, a write cut off.
    let others = ["YWJ", "README.md", "YR==", "_w==", "sub/YWJj", ".dat.nosync1234.abcdef"]
    for path in others { try scratch.write("x", to: "f/\(path)") }
    try FileManager.default.createSymbolicLink(at: scratch.file("f/YQ=="), withDestinationURL: scratch.url)
    let contents = try DiskFolderStorage(folderURL: scratch.file("f"), filenameEncoder: .base64URL).contents()
    #expect(contents.files.map(\.filename) == ["abc"])
    #expect(contents.files.map(\.url.path) == [scratch.file("f/YWJj").path])
    #expect(Set(contents.others.map(\.path)) == Set((others + ["YQ=="]).map { scratch.file("f/\($0)").path }))
  }

  @Test func `Writes that were cut off are no names where names are not encoded`() throws {
    try scratch.write("x", to: "f/.dat.nosync1234.abcdef")
    try scratch.write("x", to: "f/a")
    let contents = try DiskFolderStorage(folderURL: scratch.file("f"), filenameEncoder: .noEncoding)
      .contents()
    #expect(contents.files.map(\.filename) == ["a"] && contents.others.count == 1)
  }

  @Test func `String keys are listed, too`() async throws {
    try set(["a", "b"], .base64URL)
    let strings = DiskFolderStorage(folderURL: scratch.file("f"), filenameEncoder: .base64URL)
      .usingStringKeys()
    var keys: [String] = []
    for try await key in strings.keys() { keys.append(key) }
    #expect(keys.sorted() == ["a", "b"])
    var read: [String] = []
    for try await key in strings.asReadOnlyStorage().keys() { read.append(key) }
    #expect(read.sorted() == ["a", "b"])
  }
}
