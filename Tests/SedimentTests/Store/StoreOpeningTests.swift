import Foundation
import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Files that are there or not, are a store's or not, and what is said of them.
struct StoreOpeningTests {
  private let directory: StoreDirectory

  init() throws {
    directory = try StoreDirectory()
  }

  private func bytes(_ name: String) -> FileImage {
    FileImage(bytes: [UInt8](FileManager.default.contents(atPath: directory[name]) ?? Data()))
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: directory[name]))
  }

  // MARK: Whether there is a file

  @Test func `A store is created where there is none, and opened where there is`() throws {
    for round in 0..<3 {
      let store = try SedimentStore(path: directory["store"])
      #expect(store.path == directory["store"])
      #expect(store.recovery.wasClosed)
      #expect(try store.count() == round)
      try store.set("value", forKey: "\(round)")
      try store.close()
    }
    #expect(try directory.names == ["store"])
  }

  @Test func `A file that must exist and does not is an error, and is not created`() throws {
    for options in [SedimentOptions(mustExist: true), SedimentOptions(readOnly: true)] {
      let error = #expect(throws: SedimentError.self) {
        try SedimentStore(path: directory["store"], options: options)
      }
      #expect(error?.code == .notFound)
      #expect(error?.path == directory["store"])
      #expect(error?.systemError?.operation == .open)
    }
    #expect(try directory.names == [])
    try SedimentStore(path: directory["store"]).close()
    try SedimentStore(path: directory["store"], options: SedimentOptions(mustExist: true)).close()
  }

  @Test func `Directories that are missing are made with a new store`() throws {
    let store = try SedimentStore(path: directory["one/two/../three//store"])
    try store.set("value", forKey: "key")
    try store.close()
    #expect(try directory.names == ["one"])
    try SedimentStore(path: directory["one/three/store"], options: SedimentOptions(mustExist: true)).close()
    #expect(code { _ = try SedimentStore(path: directory["one/three/store/under/it"]) } == .notFound)
    #expect(try directory.names == ["one"])
  }

  @Test func `A directory that does not exist is an error for what has to exist, and is not created`() throws
  {
    for options in [SedimentOptions(mustExist: true), SedimentOptions(readOnly: true)] {
      #expect(
        code { _ = try SedimentStore(path: directory["none/store"], options: options) } == .notFound)
    }
    #expect(try directory.names == [])
  }

  @Test func `The file is its owner's alone`() throws {
    try SedimentStore(path: directory["store"]).close()
    let attributes = try FileManager.default.attributesOfItem(atPath: directory["store"])
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  // MARK: Paths

  @Test(arguments: ["a name with spaces", "Київ", "-", "..name", "a;b&c", String(repeating: "x", count: 200)])
  func `A file's name may be anything`(name: String) throws {
    let store = try SedimentStore(path: directory[name])
    try store.set("value", forKey: "key")
    try store.close()
    #expect(try directory.names == [name])
    #expect(try SedimentStore(path: directory["./" + name]).contains("key"))
    try SedimentStore.destroy(path: directory[name])
    #expect(try directory.names == [])
  }

  @Test func `Names that no file can have are errors`() throws {
    for name in ["a\0b", String(repeating: "x", count: 300), "", ".", "name/"] {
      let found = code { _ = try SedimentStore(path: directory[name]) }
      #expect(found != nil, "\(name)")
    }
    #expect(code { _ = try SedimentStore(path: "") } == .notFound)
    #expect(try directory.names == [])
  }

  @Test func `A relative path is one of the current directory`() async throws {
    // The current directory is the process's, so this is done in another one.
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      #expect(FileManager.default.changeCurrentDirectoryPath(path))
      let store = try SedimentStore(path: "store")
      try store.set("value", forKey: "key")
      try store.close()
    }
    #expect(try SedimentStore(path: directory["store"]).contains("key"))
  }

  @Test func `A URL is as good as a path, if it is a file's`() throws {
    let url = URL(fileURLWithPath: directory["with space %"])
    let store = try SedimentStore(url: url)
    try store.set("value", forKey: "key")
    #expect(store.path == directory["with space %"])
    try store.close()
    #expect(try SedimentStore(url: url, options: SedimentOptions(mustExist: true)).contains("key"))
    let other = try #require(URL(string: "https://example.com/store"))
    #expect(code { _ = try SedimentStore(url: other) } == .invalidArgument)
    #expect(try directory.names == ["with space %"])
  }

  @Test func `What is no regular file is foreign`() throws {
    #expect(unsafe mkfifo(directory["pipe"], 0o600) == 0)
    for path in [directory.path, directory["pipe"], "/dev/null"] {
      for options in [SedimentOptions(), SedimentOptions(readOnly: true)] {
        #expect(code { _ = try SedimentStore(path: path, options: options) } == .foreign, "\(path)")
      }
      #expect(code { try SedimentStore.destroy(path: path) } == .foreign, "\(path)")
    }
    #expect(try directory.names == ["pipe"])
  }

  // MARK: Whose file it is

  @Test func `A file without a byte becomes a store, if one may be made`() throws {
    try write([], to: "file")
    for options in [SedimentOptions(mustExist: true), SedimentOptions(readOnly: true)] {
      #expect(code { _ = try SedimentStore(path: directory["file"], options: options) } == .foreign)
    }
    #expect(code { try SedimentStore.destroy(path: directory["file"]) } == .foreign)
    #expect(bytes("file").bytes == [])
    let store = try SedimentStore(path: directory["file"])
    try store.set("value", forKey: "key")
    #expect(code { _ = try SedimentStore(path: directory["file"]) } == .locked)
    try store.close()
    #expect(try directory.names == ["file"])
    #expect(
      try SedimentStore(path: directory["file"], options: SedimentOptions(mustExist: true)).contains("key"))
  }

  @Test(arguments: [1, 7, 4_095, 4_096, 16_384, 20_480, 49_152, 200_000])
  func `A file of another kind is said to be, and left as it is`(byteCount: Int) throws {
    for contents in [pattern(byteCount), [UInt8](repeating: 0, count: byteCount)] {
      try write(contents, to: "file")
      for options in [SedimentOptions(), SedimentOptions(mustExist: true), SedimentOptions(readOnly: true)] {
        #expect(code { _ = try SedimentStore(path: directory["file"], options: options) } == .foreign)
      }
      #expect(code { try SedimentStore.destroy(path: directory["file"]) } == .foreign)
      #expect(bytes("file") == FileImage(bytes: contents))
    }
    #expect(try directory.names == ["file"])
  }

  /// A store's file in which both superblocks were changed and sealed again.
  private static func changed(_ change: (inout [UInt8]) -> Void) throws -> SimulatedDisk {
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "key")
    try fixture.close()
    for start in [0, 16_384] {
      var block = Array(fixture.contents[start..<start + 4_096])
      change(&block)
      let covered = Array(block[12...])
      let checksum = Checksum.empty.continued(with: unsafe covered.span.bytes).rawValue
      for place in 0..<4 { block[8 + place] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(place))) }
      fixture.disk.overwrite(block, at: start, in: StoreFixture.path)
    }
    return fixture.disk
  }

  @Test func `A file of a newer version is said to be, and left as it is`() throws {
    let changes: [(inout [UInt8]) -> Void] = [
      { $0[12] = 2 }, { $0[16] = 2 }, { $0[23] = 0x80 }, { $0[68] = 15 },
    ]
    for change in changes {
      let disk = try Self.changed(change)
      let before = disk.contents(of: StoreFixture.path)
      for options in [SedimentOptions(), SedimentOptions(readOnly: true)] {
        let failure = code {
          _ = try SedimentStore(path: StoreFixture.path, options: options, disk: disk)
        }
        #expect(failure == .newer)
      }
      #expect(disk.contents(of: StoreFixture.path) == before)
    }
  }

  @Test func `A file that only newer versions may write is read, and refused for writing`() throws {
    let disk = try Self.changed { $0[24] = 1 }
    let before = disk.contents(of: StoreFixture.path)
    #expect(code { _ = try StoreFixture(on: disk) } == .newer)
    let options = SedimentOptions(readOnly: true)
    let store = try SedimentStore(path: StoreFixture.path, options: options, disk: disk)
    #expect(try store.retrieve(forKey: "key", as: String.self) == "value")
    #expect(disk.contents(of: StoreFixture.path) == before)
  }

  @Test func `Features that may be ignored are`() throws {
    let disk = try Self.changed { $0[32] = 0xFF }
    let fixture = try StoreFixture(on: disk)
    try fixture.store.set("new", forKey: "key")
  }

  @Test(arguments: accesses)
  func `A store with one damaged superblock opens, and with two it does not`(
    access: SedimentOptions.Access
  ) throws {
    for damaged in [[0], [16_384], [0, 16_384]] {
      let fixture = try StoreFixture(access)
      try fixture.store.set("value", forKey: "key")
      try fixture.close()
      for start in damaged { fixture.disk.flipBit(0, ofByte: start + 100, in: StoreFixture.path) }
      let before = fixture.image
      if damaged.count == 2 {
        let error = #expect(throws: SedimentError.self) { try fixture.open() }
        #expect(error?.code == .damaged)
        #expect(error?.message.isEmpty == false)
        #expect(fixture.image == before)
      } else {
        try fixture.open()
        #expect(try fixture.store.retrieve(forKey: "key", as: String.self) == "value")
        try fixture.store.set("new", forKey: "key")
        try fixture.reopen()
        #expect(fixture.store.recovery.wasClosed)
      }
    }
  }

  @Test(arguments: accesses)
  func `A file damaged where it was synced refuses to open, with the place`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    for number in 0..<50 { try fixture.store.set(pattern(100, number), forKey: "\(number)") }
    try fixture.close()
    let contents = fixture.contents
    let place = try #require(contents.indices.first { contents[$0...].starts(with: pattern(100, 25)) })
    fixture.disk.flipBit(1, ofByte: place, in: StoreFixture.path)
    let before = fixture.image
    for readOnly in [false, true] {
      let options = SedimentOptions(readOnly: readOnly, access: access)
      let error = #expect(throws: SedimentError.self) {
        try SedimentStore(path: StoreFixture.path, options: options, disk: fixture.disk)
      }
      #expect(error?.code == .damaged)
      #expect(error?.offset == UInt64(place - 2 - 16))
    }
    #expect(fixture.image == before)
  }

  @Test func `A shortened file is damaged, if what is missing was synced`() throws {
    let fixture = try StoreFixture()
    for number in 0..<50 { try fixture.store.set(pattern(1_000, number), forKey: "\(number)") }
    try fixture.close()
    fixture.disk.cut(StoreFixture.path, to: 60_000)
    #expect(code { try fixture.open() } == .damaged)
  }

  // MARK: Messages

  @Test func `An error says where, what and what to do, and nothing of keys and values`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("secret value", forKey: "secret key")
    let error = #expect(throws: SedimentError.self) { try fixture.another() }
    let text = try #require(error.map { "\($0)" })
    #expect(text.hasPrefix("data/store: "))
    #expect(text.contains("open already"))
    #expect(!text.contains("secret"))
    let failure = SedimentError(
      .inputOutput, path: "a", offset: 7,
      systemError: DiskError(.read, path: "a", offset: 7, code: .inputOutput), message: "Message.")
    #expect("\(failure)" == "a at byte 7: Message. (\(failure.systemError!))")
    #expect("\(failure.code)" == "inputOutput")
  }

  @Test func `A capacity that is less than an empty file is refused before anything is created`() throws {
    for byteCount in [0, 1, (48 << 10) - 1] as [UInt64] {
      for capacity in [SedimentCapacity.limited(maxBytes: byteCount), .evicting(maxBytes: byteCount)] {
        let disk = SimulatedDisk(seed: 1)
        let options = SedimentOptions(capacity: capacity)
        #expect(
          code {
            _ = try SedimentStore(path: "store", options: options, disk: disk, scheduler: ManualScheduler())
          }
            == .invalidArgument)
        #expect(disk.paths == [])
      }
    }
    let options = SedimentOptions(capacity: .limited(maxBytes: 48 << 10))
    let disk = SimulatedDisk(seed: 1)
    try SedimentStore(path: "store", options: options, disk: disk, scheduler: ManualScheduler()).close()
    #expect(disk.contents(of: "store")?.count == 48 << 10)
  }
}
