import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a child after a fork may do with a store of its parent's: nothing, and without harm to the parent.
@Suite(.serialized) struct StoreForkTests {
  @Test(arguments: accesses)
  func `Every call in a child says that the store is the parent's`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    try AnyChange.prepare(store)
    let users = try store.collection("users")
    // The child does only what was done before the fork.
    for reading in StoreReading.allCases where reading != .text { try reading.make(in: users) }
    #expect(code { _ = try fixture.another() } == .locked)
    let before = fixture.image
    let answer = inForkedChild {
      var wrong: UInt8 = 0
      for reading in StoreReading.allCases {
        if code({ try reading.make(in: store) }) != .forked { wrong += 1 }
        if code({ try reading.make(in: users) }) != .forked { wrong += 1 }
      }
      for change in AnyChange.allCases {
        if code({ try change.make(in: store) }) != .forked { wrong += 1 }
        if code({ try change.make(in: store, .synced) }) != .forked { wrong += 1 }
      }
      if code({ try store.sync() }) != .forked { wrong += 1 }
      if code({ try store.checkpoint() }) != .forked { wrong += 1 }
      if code({ try store.close() }) != .forked { wrong += 1 }
      _ = store.statistics
      return 100 + wrong
    }
    #expect(answer == 100)
    #expect(fixture.image == before)
    // The parent's is as it was.
    try store.set("value", forKey: "key")
    #expect(try store.retrieve(forKey: "key", as: String.self) == "value")
    try fixture.reopen()
    #expect(fixture.store.recovery.wasClosed)
  }

  @Test func `A child that drops the store or ends does not release the parent's lock`() throws {
    let directory = try StoreDirectory()
    let path = directory["store"]
    var store: SedimentStore? = try SedimentStore(path: path)
    try store?.set("value", forKey: "key")
    let answer = inForkedChild {
      store = nil
      return 7
    }
    #expect(answer == 7)
    #expect(code { try SedimentStore.destroy(path: path) } == .locked)
    try store?.set("value", forKey: "another")
    try store?.close()
    #expect(try SedimentStore(path: path).count() == 2)
  }

  @Test(.disabled(if: hasThreadSanitizer, "A child may inherit a lock of the sanitizer's."))
  func `A child is refused while other threads of the parent are in every part of the store`() throws {
    let fixture = try StoreFixture(durability: .interval(.milliseconds(1)))
    let store = fixture.store
    try AnyChange.prepare(store)
    #expect(code { try store.setIfAbsent("", forKey: [UInt8](repeating: 0, count: 70_000)) } == .tooLarge)
    // What the child is to do was done here before.
    try store.batch { $0.remove(forKey: "nowhere") }
    try store.remove(forKey: "nowhere")
    try store.sync()
    let isDone = Counter()
    let rounds = Counter()
    let threads = (0..<3).map { number in
      TestThread {
        while isDone.value == 0 {
          try? store.set("\(number)", forKey: "busy")
          try? store.sync()
          _ = try? store.remove(forKey: "busy")
          _ = store.statistics
          rounds.add()
        }
      }
    }
    rounds.wait(for: 3)
    for _ in 0..<30 {
      let answer = inForkedChild {
        var wrong: UInt8 = 0
        if code({ try store.set("child's", forKey: "key") }) != .forked { wrong += 1 }
        if code({ try store.remove(forKey: "key") }) != .forked { wrong += 2 }
        if code({ try store.sync() }) != .forked { wrong += 4 }
        if code({ try store.batch { $0.remove(forKey: "key") } }) != .forked { wrong += 8 }
        if code({ try store.close() }) != .forked { wrong += 16 }
        if code({ _ = try store.contains("key") }) != .forked { wrong += 32 }
        return 100 + wrong
      }
      #expect(answer == 100)
    }
    isDone.add()
    for thread in threads { thread.join() }
    #expect(try store.retrieve(forKey: "key") == [7])
  }

  @Test(.disabled(if: hasThreadSanitizer, "The sanitizer lets a child start no threads."))
  func `A child opens stores of its own, and is told that its parent's is in use`() throws {
    let directory = try StoreDirectory()
    let store = try SedimentStore(path: directory["parent's"])
    try store.set("value", forKey: "key")
    let childs = directory["child's"]
    // What the child is to do was done here before.
    try SedimentStore(path: childs).close()
    #expect(code { _ = try SedimentStore(path: directory["parent's"]) } == .locked)
    let answer = inForkedChild {
      if code({ _ = try SedimentStore(path: directory["parent's"]) }) != .locked { return 1 }
      let options = SedimentOptions(durability: .interval(.milliseconds(1)))
      guard let own = try? SedimentStore(path: childs, options: options) else { return 2 }
      guard (try? own.set("value", forKey: "key")) != nil else { return 3 }
      guard eventually({ own.statistics.syncCount > 0 }) else { return 4 }
      guard (try? own.close()) != nil else { return 5 }
      return 7
    }
    #expect(answer == 7)
    #expect(try SedimentStore(path: childs).contains("key"))
    try store.close()
  }

  @Test func `A store that the parent closes stays refused in the child`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    #expect(inForkedChild { code { try store.close() } == .forked ? 7 : 0 } == 7)
    try store.close()
    #expect(inForkedChild { code { _ = try store.contains("key") } == .forked ? 7 : 0 } == 7)
  }

  // MARK: What a child keeps

  @Test(arguments: [false, true])
  func `A child that drops a store, or ends, leaves the parent's file locked`(readOnly: Bool) throws {
    let directory = try StoreDirectory()
    let path = directory["store"]
    try SedimentStore(path: path).close()
    var store: SedimentStore? = try SedimentStore(path: path, options: SedimentOptions(readOnly: readOnly))
    let answer = inForkedChild {
      store = nil
      return 7
    }
    #expect(answer == 7)
    // Another process asks, which knows nothing of this one's openings.
    #expect(isRefused(path))
    try store?.close()
    #expect(!isRefused(path))
  }

  /// Whether another process is refused to open a store for writing.
  private func isRefused(_ path: String) -> Bool {
    inForkedChild { code { try SedimentStore(path: path).close() } == .locked ? 7 : 0 } == 7
  }

  @Test func `A child has neither the parent's descriptors nor its mappings`() throws {
    #if os(Linux)
      let directory = try StoreDirectory()
      let path = directory["store"]
      let store = try SedimentStore(path: path)
      try store.set(pattern(3_000), forKey: "key")
      #expect(Self.uses(of: path) >= 2)
      #expect(inForkedChild { Self.uses(of: path) == 0 ? 7 : 0 } == 7)
      let answer = try store.withValue(forKey: "key") { value in
        inForkedChild {
          // It was forked in a closure, whose value stays.
          guard same([UInt8](sedimentBytes: value), pattern(3_000)) else { return 1 }
          // Outside again: the hold that the closure was called under ends.
          Readers.letGo()
          return Self.uses(of: path) == 0 ? 7 : 2
        }
      }
      #expect(answer == 7)
      #expect(try store.retrieve(forKey: "key") == pattern(3_000))
      try store.close()
    #endif
  }

  #if os(Linux)
    /// How many descriptors and mappings of a file the process has.
    private static func uses(of path: String) -> Int {
      var count = 0
      for number in 0..<256 {
        var target = [CChar](repeating: 0, count: 4096)
        let length = unsafe readlink("/proc/self/fd/\(number)", &target, target.count - 1)
        if length > 0,
          String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) == path
        {
          count += 1
        }
      }
      let maps = unsafe open("/proc/self/maps", O_RDONLY)
      defer { close(maps) }
      var text: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let length = unsafe read(maps, &buffer, buffer.count)
        if length <= 0 { break }
        text += buffer[..<length]
      }
      return count + String(decoding: text, as: UTF8.self).split(separator: "\n").count { $0.hasSuffix(path) }
    }
  #endif

  @Test func `A child that lives on does not keep the file after its parent's death`() throws {
    let directory = try StoreDirectory()
    let path = directory["store"]
    // What the children are to do was done here before.
    try SedimentStore(path: path).close()
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    defer { for end in ends where end >= 0 { close(end) } }
    let answer = inForkedChild {
      guard let store = try? SedimentStore(path: path) else { return 1 }
      guard (try? store.set("value", forKey: "key", durability: .unsynced)) != nil else { return 2 }
      let child = unsafe Self.fork()
      if child == 0 {
        // Until the test ends.
        close(ends[1])
        var byte: UInt8 = 0
        _ = unsafe read(ends[0], &byte, 1)
        _exit(0)
      }
      return withExtendedLifetime(store) { child > 0 ? 7 : 3 }
    }
    #expect(answer == 7)
    let store = try SedimentStore(path: path)
    #expect(try store.contains("key"))
    try store.close()
  }

  /// Not by its name, which Swift hides on some systems.
  @unsafe private static var fork: @convention(c) () -> Int32 {
    unsafe unsafeBitCast(dlsym(dlopen(nil, RTLD_NOW), "fork"), to: (@convention(c) () -> Int32).self)
  }

  @Test func `A child may open what its parent has closed since the fork`() throws {
    let directory = try StoreDirectory()
    let path = directory["store"]
    let store = try SedimentStore(path: path)
    try store.set("value", forKey: "key")
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    let child = unsafe Self.fork()
    if child == 0 {
      alarm(20)
      close(ends[1])
      var byte: UInt8 = 0
      _ = unsafe read(ends[0], &byte, 1)
      _exit(code({ try SedimentStore(path: path).close() }) == nil ? 7 : 1)
    }
    try store.close()
    // Written, and not closed: other children may have the pipe for a while.
    _ = unsafe write(ends[1], [7], 1)
    for end in ends { close(end) }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) == -1 {}
    #expect(status >> 8 == 7)
  }
}
