import Foundation
import Shallows
import Testing

@Suite struct FolderPlacesTests {
  private let name = "shallows-tests-\(UUID().uuidString)"

  @Test func `A folder is in the directory it is asked for in`() throws {
    for directory in [.cachesDirectory, .applicationSupportDirectory, .documentDirectory]
      as [FileManager.SearchPathDirectory]
    {
      let parent = try #require(FileManager.default.urls(for: directory, in: .userDomainMask).first)
      let url = DiskFolderStorage.url(forFolder: name, in: directory)
      #expect(url.path == parent.appendingPathComponent(name).path)
      #expect(DiskStorage.folder(name, in: directory).folderURL == url)
      #expect(DiskStorage.main.folder(name, in: directory).folderURL == url)
      let storage = DiskFolderStorage.inDirectory(
        directory, folderName: name, diskStorage: DiskStorage.main.asStorage(), filenameEncoder: .base64URL)
      #expect(storage.folderURL == url && storage.storageName == "disk-\(name)")
      #expect(!FileManager.default.fileExists(atPath: url.path))
      let local = DiskFolderStorage.url(forFolder: name, in: directory, domainMask: .localDomainMask)
      let folder = DiskStorage.main.folder(name, in: directory, domainMask: .localDomainMask)
      #expect(local != url && folder.folderURL == local)
    }
  }

  @Test
  func `Where the system has no such directory the folder has a place all the same, and one of its own`() {
    // No directory is both the user's and in no domain.
    let caches = DiskFolderStorage.url(forFolder: name, in: .cachesDirectory, domainMask: [])
    let documents = DiskFolderStorage.url(forFolder: name, in: .documentDirectory, domainMask: [])
    #expect(caches != documents)
    for url in [caches, documents] {
      #expect(url.isFileURL && url.lastPathComponent == name && url.path.hasPrefix("/"))
    }
  }

  @Test func `Folders of one name in different domains stay apart`() {
    // No system has a directory of this number.
    let directory = FileManager.SearchPathDirectory.itemReplacementDirectory
    let domains: [FileManager.SearchPathDomainMask] = [
      .userDomainMask, .localDomainMask, .networkDomainMask, .systemDomainMask, [],
    ]
    let urls = domains.map { DiskFolderStorage.url(forFolder: name, in: directory, domainMask: $0) }
    #expect(Set(urls).count == domains.count)
    #expect(urls[0] == DiskFolderStorage.url(forFolder: name, in: directory))
  }

  @Test func `A folder of the system's directories takes values`() throws {
    let folder = DiskStorage.main.folder(name, in: .cachesDirectory, filenameEncoder: .base64URL)
    folder.clearsOnDeinit = true
    let sync = folder.makeSyncStorage()
    try sync.set(Data([1]), forKey: "a")
    #expect(try sync.retrieve(forKey: "a") == Data([1]))
    #expect(FileManager.default.fileExists(atPath: folder.fileURL(forFilename: "a").path))
  }
}
