import Dispatch
import Foundation
import Sediment
import Shallows
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Files of the engine that are opened by name, shared in the process, and closed with the last who uses them.
struct SedimentFileTests {
  private func code(_ body: () throws -> Void) -> SedimentError.Code? {
    #expect(throws: SedimentError.self, performing: body)?.code
  }

  @Test func `Whoever names the same file shares it, whatever way the path is written`() async throws {
    let folder = try TestFolder()
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
    let first = SedimentStorage(url: folder.file("a.sediment")).numbers
    let second = SedimentStorage(url: link.appendingPathComponent("x/../a.sediment")).numbers
    let users = SedimentStorage(url: folder.file("a.sediment"), collection: "users").numbers
    try await first.set(1, forKey: "a")
    #expect(try await second.retrieve(forKey: "a") == 1)
    await #expect(throws: StorageError.noValue) { try await users.retrieve(forKey: "a") }
    #expect(users.storageName == "sediment-a/users")
  }

  @Test func `A file is opened at the first call, and closed when the last user has gone`() throws {
    let folder = try TestFolder()
    let url = folder.file("deep/er/a.sediment")
    var users = [SedimentStorage(url: url).numbers, SedimentStorage(url: url).numbers]
    #expect(!FileManager.default.fileExists(atPath: url.path))
    for user in users { try user.makeSyncStorage().set(1, forKey: "a") }
    #expect(code { _ = try SedimentStore(url: url) } == .locked)
    users.removeLast()
    #expect(code { _ = try SedimentStore(url: url) } == .locked)
    users.removeLast()
    let store = try SedimentStore(url: url)
    #expect(try store.contains("a") && store.recovery.wasClosed)
    try store.close()
    // And opened once more by the next who names it.
    #expect(try SedimentStorage(url: url).numbers.makeSyncStorage().retrieve(forKey: "a") == 1)
    #expect(throws: Never.self) { try SedimentStore(url: url).close() }
  }

  @Test func `A keyspace that outlives the storages of its file is closed with them`() throws {
    let folder = try TestFolder()
    let url = folder.file("a.sediment")
    var storage: SedimentStorage? = SedimentStorage(url: url)
    let keyspace = try #require(try storage?.keyspace())
    try keyspace.set([1], forKey: "a")
    storage = nil
    #expect(code { _ = try keyspace.contains("a") } == .closed)
    #expect(throws: Never.self) { try SedimentStore(url: url).close() }
  }

  @Test func `A call of a storage that nobody keeps is told what came of it, and the file is closed by then`()
    throws
  {
    let folder = try TestFolder()
    for number in 0..<20 {
      let url = folder.file("\(number).sediment")
      let told = ResultList<Void>()
      SedimentStorage(url: url, durability: .synced).set(Data([7]), forKey: "a") { told.append($0) }
      told.waitForOne()
      #expect(told.all.map(\.isSuccess) == [true])
      let store = try SedimentStore(url: url)
      #expect(try store.retrieve(forKey: "a", as: Data.self) == Data([7]) && store.recovery.wasClosed)
      try store.close()
      let removed = ResultList<Void>()
      SedimentStorage(url: url, durability: .synced).removeAll { removed.append($0) }
      removed.waitForOne()
      #expect(removed.all.map(\.isSuccess) == [true])
    }
  }

  @Test func `An opening that fails says why, and is tried again at the next call`() throws {
    let folder = try TestFolder()
    let url = folder.file("a.sediment")
    let storage = SedimentStorage(url: url).numbers.makeSyncStorage()
    let other = try SedimentStore(url: url)
    #expect(code { try storage.set(1, forKey: "a") } == .locked)
    #expect(code { _ = try storage.retrieve(forKey: "a") } == .locked)
    try other.close()
    try storage.set(1, forKey: "a")
    #expect(try storage.retrieve(forKey: "a") == 1)
  }

  @Test func `A file that must exist, is foreign or lies nowhere is an error that names it`() async throws {
    let folder = try TestFolder()
    let missing = SedimentStorage(url: folder.file("no.sediment"), options: SedimentOptions(mustExist: true))
    #expect(code { _ = try missing.makeSyncStorage().retrieve(forKey: "a") } == .notFound)
    try Data(repeating: 7, count: 100_000).write(to: folder.file("foreign"))
    let foreign = SedimentStorage(url: folder.file("foreign"))
    let error = #expect(throws: SedimentError.self) { try foreign.makeSyncStorage().set(Data(), forKey: "a") }
    #expect(error?.code == .foreign && error?.path.hasSuffix("foreign") == true)
    #expect(error?.storageFailureKind == .cannotRead && error?.isNoValue == false)
    let nowhere = SedimentStorage(url: folder.file("foreign/within.sediment")).makeSyncStorage()
    let beneath = #expect(throws: SedimentError.self) { try nowhere.set(Data(), forKey: "a") }
    #expect(beneath?.path.hasSuffix("within.sediment") == true && beneath?.isNoValue == false)
    #expect(await keyFailure(of: missing)?.code == .notFound)
  }

  private func keyFailure(of storage: SedimentStorage) async -> SedimentError? {
    await #expect(throws: SedimentError.self) {
      for try await _ in storage.keys() {}
    }
  }

  @Test func `A store that was closed says so through all that is made of it`() async throws {
    let folder = try TestFolder()
    let store = try SedimentStore(url: folder.file("a.sediment"))
    let storage = SedimentStorage(store)
    let combined = MemoryStorage().combined(with: storage.numbers)
    try await combined.set(1, forKey: "a")
    try store.close()
    #expect(try await combined.retrieve(forKey: "a") == 1)
    let sync = storage.makeSyncStorage()
    #expect(code { _ = try sync.retrieve(forKey: "a") } == .closed)
    #expect(code { try sync.set(Data(), forKey: "a") } == .closed)
    #expect(code { try sync.remove(forKey: "a") } == .closed)
    #expect(code { try sync.removeAll() } == .closed)
    let updated = results { combined.atomicUpdate(forKey: "a", { $0 += 1 }, completion: $0) }
    #expect((updated.first?.error as? SedimentError)?.code == .closed)
    #expect(await keyFailure(of: storage)?.code == .closed)
    await #expect(throws: SedimentError.self) { try await storage.retrieve(forKeys: ["a", "b"]) }
  }

  @Test func `A folder of the system has one file for each name, shared by all who name it`() async throws {
    let name = "shallows-tests-\(UUID().uuidString)"
    let caches = try #require(FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first)
    let url = caches.appendingPathComponent(name + ".sediment")
    defer { try? FileManager.default.removeItem(at: url) }
    do {
      let first = SedimentStorage.main.folder(name, in: .cachesDirectory)
      let second = SedimentStorage.main.folder(name, in: .cachesDirectory)
      #expect(first.storageName == "sediment-\(name)")
      try await first.set(Data([5]), forKey: "a")
      #expect(try await second.retrieve(forKey: "a") == Data([5]))
      #expect(try SedimentStorage(url: url).numbers.makeSyncStorage().retrieve(forKey: "a") == 5)
    }
    let store = try SedimentStore(url: url, options: SedimentOptions(mustExist: true))
    #expect(try store.contains("a"))
    try store.close()
  }

  @Test func `Names whose folders were different ones have files of their own`() async throws {
    let name = "shallows-tests-\(UUID().uuidString)"
    let caches = try #require(FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first)
    defer { try? FileManager.default.removeItem(at: caches.appendingPathComponent(name)) }
    // Each with what it has to be the same as.
    var names = [
      ("a", "a"), ("a/", "a"), ("/a", "a"), ("./a", "a"), ("b/../a", "a"), ("a.", "a."),
      ("a.sediment", "a.sediment"), ("a/b", "a/b"), ("a b", "a b"), ("a%20b", "a%20b"), (".", "."),
    ]
    #if !canImport(Darwin)
      // On Apple's file systems these have one folder, too.
      names += [("A", "A"), ("\u{E9}", "\u{E9}"), ("e\u{301}", "e\u{301}")]
    #endif
    let storages = names.map { SedimentStorage.main.folder("\(name)/\($0.0)", in: .cachesDirectory).numbers }
    for (number, storage) in storages.enumerated() { try await storage.set(number, forKey: "\(number)") }
    for (number, storage) in storages.enumerated() {
      let same = names.indices.filter { names[$0].1.utf8.elementsEqual(names[number].1.utf8) }
      var keys: Set<String> = []
      for try await key in storage.keys() { keys.insert(key) }
      #expect(keys == Set(same.map { "\($0)" }), "\(names[number].0)")
      let folder = DiskFolderStorage.url(forFolder: "\(name)/\(names[number].0)", in: .cachesDirectory)
      let sameFolder = DiskFolderStorage.url(forFolder: "\(name)/\(names[number].1)", in: .cachesDirectory)
      #expect(folder.standardizedFileURL.path == sameFolder.standardizedFileURL.path)
    }
  }

  @Test(arguments: ["", "/", "//", "a\0b"])
  func `A name that has no file of its own is refused at every call`(name: String) async throws {
    let storage = SedimentStorage.main.folder(name, in: .cachesDirectory)
    let sync = storage.makeSyncStorage()
    #expect(code { try sync.set(Data(), forKey: "a") } == .invalidArgument)
    #expect(code { _ = try sync.retrieve(forKey: "a") } == .invalidArgument)
    #expect(await keyFailure(of: storage)?.code == .invalidArgument)
  }

  @Test func `A file that is not there yet is the same by all of its paths`() throws {
    let folder = try TestFolder()
    let link = folder.file("link")
    try FileManager.default.createDirectory(at: folder.file("real"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.file("real"))
    let storages = [link, folder.file("real"), link].map { directory in
      SedimentStorage(url: directory.appendingPathComponent("deep/a.sediment")).numbers.makeSyncStorage()
    }
    for (number, storage) in storages.enumerated() { try storage.set(number, forKey: "\(number)") }
    for number in 0..<3 { #expect(try storages[0].retrieve(forKey: "\(number)") == number) }
  }

  @Test func `Who names an open file gets his own options, or an error`() throws {
    let folder = try TestFolder()
    let url = folder.file("a.sediment")
    let first = SedimentStorage(url: url, options: SedimentOptions(durability: .unsynced))
    try first.makeSyncStorage().set(Data([1]), forKey: "a")
    let synced = SedimentStorage(url: url, options: SedimentOptions(durability: .synced))
    #expect(synced.durability == .synced && first.durability == .unsynced)
    try synced.makeSyncStorage().set(Data([2]), forKey: "a")
    #expect(try first.makeSyncStorage().retrieve(forKey: "a") == Data([2]))
    for options in [
      SedimentOptions(readOnly: true), SedimentOptions(access: .unmapped),
      SedimentOptions(verifiesReads: false),
      SedimentOptions(capacity: .limited(maxBytes: 1 << 24)), SedimentOptions(compaction: .off),
      SedimentOptions(compression: .off), SedimentOptions(storesIndex: false),
    ] {
      let other = SedimentStorage(url: url, options: options).makeSyncStorage()
      #expect(code { _ = try other.retrieve(forKey: "a") } == .invalidArgument)
    }
  }

  @Test func `Each who names an open file has his own observer`() throws {
    let folder = try TestFolder()
    let url = folder.file("a.sediment")
    let told = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    let storages = told.map { told in
      SedimentStorage(url: url, options: SedimentOptions(observer: { _ in told.signal() }))
    }
    for storage in storages { try storage.makeSyncStorage().set(Data([1]), forKey: "a") }
    try storages[1].keyspace().store.compact { _ in .continue }
    for told in told { told.wait() }
    withExtendedLifetime(storages) {}
  }

  @Test func `An observer is told of opening, and may use what it observes`() throws {
    let folder = try TestFolder()
    let url = folder.file("a.sediment")
    let isTold = DispatchSemaphore(value: 0)
    let seen = Shared<Data?>(nil)
    @Sendable func observe(_ event: SedimentEvent) {
      guard case .recovered = event else { return }
      let other = SedimentStorage(url: url).makeSyncStorage()
      try? other.set(Data([1]), forKey: "a")
      let found = try? other.retrieve(forKey: "a")
      seen.change { $0 = found }
      isTold.signal()
    }
    let storage = SedimentStorage(url: url, options: SedimentOptions(observer: observe))
    try storage.makeSyncStorage().set(Data([2]), forKey: "b")
    isTold.wait()
    #expect(seen.value == Data([1]))
    withExtendedLifetime(storage) {}
  }

  @Test func `Nothing is kept of a file that nobody uses`() throws {
    let folder = try TestFolder()
    let url = folder.file("a.sediment")
    func use() throws {
      let storage = SedimentStorage(url: url).makeSyncStorage()
      try storage.set(Data([1]), forKey: "a")
      #expect(SharedStore.isShared(url))
    }
    for _ in 0..<2 {
      try use()
      #expect(!SharedStore.isShared(url))
    }
    let failing = SedimentStorage(url: folder.file("none/../a.sediment/a")).makeSyncStorage()
    #expect(throws: (any Error).self) { try failing.retrieve(forKey: "a") }
    #expect(!SharedStore.isShared(folder.file("a.sediment/a")))
  }

  @Test func `A file that was removed while it was open is made anew, and those who had it say so`() throws {
    let folder = try TestFolder()
    let url = folder.file("a.sediment")
    let old = SedimentStorage(url: url).makeSyncStorage()
    try old.set(Data([1]), forKey: "a")
    try FileManager.default.removeItem(at: url)
    let new = SedimentStorage(url: url).makeSyncStorage()
    try new.set(Data([2]), forKey: "b")
    #expect(FileManager.default.fileExists(atPath: url.path))
    #expect(code { try old.set(Data([3]), forKey: "c") } == .notFound)
    #expect(code { _ = try old.retrieve(forKey: "a") } == .notFound)
    #expect(code { try old.remove(forKey: "a") } == .notFound)
    #expect(try new.retrieve(forKey: "b") == Data([2]))
    // One that was put into its place is another file, too.
    let other = folder.file("other.sediment")
    try SedimentStore(url: other).close()
    try FileManager.default.removeItem(at: url)
    try FileManager.default.moveItem(at: other, to: url)
    let third = SedimentStorage(url: url).makeSyncStorage()
    #expect(throws: StorageError.noValue) { try third.retrieve(forKey: "b") }
    #expect(code { _ = try new.retrieve(forKey: "b") } == .notFound)
  }

  @Test func `A file whose disk failed can be read, and is opened again for whoever names it anew`() async {
    // In a process of its own, whose limit for files cuts a record off.
    await #expect(processExitsWith: .success) { try Self.useFailedFile() }
  }

  private static func useFailedFile() throws {
    signal(SIGXFSZ, SIG_IGN)
    let folder = try TestFolder()
    let url = folder.file("a.sediment")
    let old = SedimentStorage(url: url, durability: .synced).makeSyncStorage()
    try old.set(Data([1]), forKey: "a")
    var failure: SedimentError?
    // Lower and lower, by less than the length of a record: in the end the system takes a part of one.
    for limit in stride(from: 600_000, to: 50_000, by: -5_000) where failure?.code != .outcomeUnknown {
      limitFileSize(limit)
      do {
        try old.set(Data((0..<12_000).map { _ in UInt8.random(in: 0...255) }), forKey: "b")
      } catch {
        failure = error as? SedimentError
      }
    }
    #expect(failure?.code == .outcomeUnknown)
    limitFileSize(nil)
    #expect(throws: SedimentError.self) { try old.set(Data([2]), forKey: "a") }
    #expect(try old.retrieve(forKey: "a") == Data([1]))
    let new = SedimentStorage(url: url, durability: .synced).makeSyncStorage()
    #expect(try new.retrieve(forKey: "a") == Data([1]))
    try new.set(Data([3]), forKey: "a")
    let error = #expect(throws: SedimentError.self) { try old.retrieve(forKey: "a") }
    #expect(error?.code == .closed && error?.message.contains("opened the file anew") == true)
    #expect(try SedimentStorage(url: url).makeSyncStorage().retrieve(forKey: "a") == Data([3]))
  }

  private static func limitFileSize(_ byteCount: Int?) {
    var limit = rlimit()
    #if os(Linux) && !canImport(Musl)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let resource = RLIMIT_FSIZE
    #endif
    precondition(unsafe getrlimit(resource, &limit) == 0)
    limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
    precondition(unsafe setrlimit(resource, &limit) == 0)
  }

  @Test func `Who has a file open that was removed is told so after the next sync`() throws {
    let folder = try TestFolder()
    let url = folder.file("a.sediment")
    let synced = DispatchSemaphore(value: 0)
    let options = SedimentOptions(
      durability: .synced,
      observer: { event in
        if case .synced = event { synced.signal() }
      })
    let storage = SedimentStorage(url: url, options: options).makeSyncStorage()
    try storage.set(Data([1]), forKey: "a")
    synced.wait()
    try storage.set(Data([2]), forKey: "a")
    synced.wait()
    #expect(try storage.retrieve(forKey: "a") == Data([2]))
    try FileManager.default.removeItem(at: url)
    try storage.set(Data([3]), forKey: "a")
    synced.wait()
    #expect(code { try storage.set(Data([4]), forKey: "a") } == .notFound)
    #expect(!SharedStore.isShared(url))
    let new = SedimentStorage(url: url).makeSyncStorage()
    #expect(throws: StorageError.noValue) { try new.retrieve(forKey: "a") }
  }

  @Test func `Opening holds no task's thread, and calls before it keep their order`() async throws {
    let folder = try TestFolder()
    let storage = SedimentStorage(url: folder.file("a.sediment")).numbers
    let (told, isMain) = (Shared([Int?]()), Shared([Bool]()))
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      Task { @MainActor in
        for number in 0..<50 {
          storage.set(number, forKey: "a") { _ in isMain.change { $0.append(Thread.isMainThread) } }
          storage.retrieve(forKey: "a") { result in
            told.change { $0.append(result.value) }
            if number == 49 { continuation.resume() }
          }
        }
      }
    }
    #expect(told.value == (0..<50).map { $0 })
    #expect(isMain.value.first == false)
  }

  @Test func `Threads that open and leave the same file all at once do not get in each other's way`() throws {
    let folder = try TestFolder()
    let url = folder.file("a.sediment")
    onThreads(6) { thread in
      for number in 0..<10 {
        #expect(throws: Never.self) {
          let storage = SedimentStorage(url: url).numbers.makeSyncStorage()
          try storage.set(number, forKey: "\(thread)")
          let found = try storage.retrieve(forKey: "\(thread)")
          #expect(found == number)
        }
      }
    }
    let store = try SedimentStore(url: url)
    #expect(try store.count() == 6)
    try store.close()
  }
}
