import Foundation
import Shallows
import Testing

@Suite struct ProcessScenarios {
  private let scratch = Scratch()

  @Test(arguments: Place.all.indices)
  func `What was told to be set is there after the program's end, however it ended`(_ place: Int) async throws
  {
    for kind in 0..<3 {
      await #expect(processExitsWith: kind == 2 ? .signal(SIGKILL) : .exitCode(7)) {
        [place = place as Int, kind = kind as Int, path = scratch.url.path as String] in
        let texts = Place.all[place].open(URL(fileURLWithPath: path)).mapString()
        let isEnding = DispatchSemaphore(value: 0)
        texts.set("by \(kind)", forKey: Filename(rawValue: "\(kind)")) { result in
          guard result.isSuccess else { return }
          switch kind {
          case 0: exit(7)
          case 1: isEnding.signal()
          default: kill(getpid(), SIGKILL)
          }
        }
        func wait() { isEnding.wait() }
        wait()
        exit(7)
      }
      let texts = Place.all[place].open(scratch.url).mapString().makeSyncStorage()
      #expect(try texts.retrieve(forKey: Filename(rawValue: "\(kind)")) == "by \(kind)")
    }
  }

  @Test func `Two programs share a folder, and each finds what the other has set`() async throws {
    let texts = DiskFolderStorage(folderURL: scratch.url, filenameEncoder: .base64URL).mapString()
    try texts.makeSync().set("mine", forKey: "first")
    await #expect(processExitsWith: .exitCode(7)) { [path = scratch.url.path as String] in
      let texts = DiskFolderStorage(
        folderURL: URL(fileURLWithPath: path), filenameEncoder: .base64URL
      ).mapString().makeSync()
      guard try texts.retrieve(forKey: "first") == "mine" else { exit(1) }
      try texts.set("theirs", forKey: "first")
      try texts.set("theirs", forKey: "second")
      exit(7)
    }
    #expect(try texts.makeSync().retrieve(forKey: "first") == "theirs")
    #expect(try texts.makeSync().retrieve(forKey: "second") == "theirs")
  }

  @Test func `A memory in front does not see what another program has set`() async throws {
    let folder = DiskFolderStorage(folderURL: scratch.url, filenameEncoder: .base64URL).mapString()
    let memory = MemoryStorage<Filename, String>()
    let both = memory.combined(with: folder).makeSync()
    try both.set("mine", forKey: "a")
    await #expect(processExitsWith: .exitCode(7)) { [path = scratch.url.path as String] in
      let url = URL(fileURLWithPath: path)
      try DiskFolderStorage(folderURL: url, filenameEncoder: .base64URL).mapString().makeSync()
        .set("theirs", forKey: "a")
      exit(7)
    }
    #expect(try both.retrieve(forKey: "a") == "mine")
    memory.storage = [:]
    #expect(try both.retrieve(forKey: "a") == "theirs")
  }
}

extension StorageProtocol {
  /// The sync form, for code that is async only because it waits for a process.
  fileprivate func makeSync() -> SyncStorage<Key, Value> { makeSyncStorage() }
}
