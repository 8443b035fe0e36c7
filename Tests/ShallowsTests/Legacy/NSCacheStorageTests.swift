import Foundation
import Shallows
import Testing

@Suite struct NSCacheStorageTests {
  private let storage = NSCacheStorage<NSString, NSData>()

  @Test func `Values are those of the cache`() throws {
    let cache = NSCache<NSString, NSData>()
    let storage = NSCacheStorage(storage: cache)
    #expect(storage.storageName == "nscache" && storage.cache === cache)
    let sync = storage.makeSyncStorage()
    try sync.set(NSData(data: Data([1])), forKey: NSString(string: "a"))
    #expect(cache.object(forKey: NSString(string: "a")) == NSData(data: Data([1])))
    #expect(try sync.retrieve(forKey: NSString(string: "a")) == NSData(data: Data([1])))
  }

  @Test func `A miss has the key, and is no value`() throws {
    let key = NSString(string: "nowhere")
    let error = try #require(throws: NSCacheStorage<NSString, NSData>.Error.self) {
      try storage.makeSyncStorage().retrieve(forKey: key)
    }
    guard case .noValue(let missing) = error else { return }
    #expect(missing === key && error.isNoValue)
  }

  @Test func `Values can be removed, one and all`() throws {
    let strings = storage.toNonObjCKeys().toNonObjCValues()
    let sync = strings.makeSyncStorage()
    for name in ["a", "b", "c"] { try sync.set(Data([1]), forKey: name) }
    try sync.remove(forKey: "a")
    #expect(throws: (any Error).self) { try sync.retrieve(forKey: "a") }
    #expect(try sync.retrieve(forKey: "b") == Data([1]))
    try sync.removeAll()
    #expect(throws: (any Error).self) { try sync.retrieve(forKey: "b") }
  }

  @Test func `Values that are to expire are refused`() {
    let unsupported = StorageError.notSupported(.expiry, storageName: "nscache")
    storage.toNonObjCKeys().toNonObjCValues().set(Data(), forKey: "a", expiry: .after(.seconds(1))) {
      result in
      #expect(result.error as? StorageError == unsupported)
    }
  }
}

@Suite struct NonObjCTests {
  private let url = URL(fileURLWithPath: "/a b/c")
  private let path = IndexPath(indexes: [1, 2, 3])
  private let date = Date(timeIntervalSinceReferenceDate: 12_345.5)

  @Test func `Keys of the older classes are Swift's`() throws {
    let strings = NSCacheStorage<NSString, NSNumber>()
    try strings.toNonObjCKeys().makeSyncStorage().set(1, forKey: "é🛶")
    #expect(try strings.asReadOnlyStorage().toNonObjCKeys().makeSyncStorage().retrieve(forKey: "é🛶") == 1)
    try strings.asWriteOnlyStorage().toNonObjCKeys().makeSyncStorage().set(2, forKey: "é🛶")
    #expect(strings.cache.object(forKey: NSString(string: "é🛶")) == 2)
    let urls = NSCacheStorage<NSURL, NSNumber>()
    try urls.toNonObjCKeys().makeSyncStorage().set(3, forKey: url)
    #expect(try urls.asReadOnlyStorage().toNonObjCKeys().makeSyncStorage().retrieve(forKey: url) == 3)
    let paths = NSCacheStorage<NSIndexPath, NSNumber>()
    try paths.toNonObjCKeys().makeSyncStorage().set(4, forKey: path)
    #expect(try paths.asReadOnlyStorage().toNonObjCKeys().makeSyncStorage().retrieve(forKey: path) == 4)
  }

  @Test func `Values of the older classes are Swift's`() throws {
    let strings = MemoryStorage<Int, NSString>()
    try strings.toNonObjCValues().makeSyncStorage().set("é🛶", forKey: 1)
    #expect(strings.storage == [1: NSString(string: "é🛶")])
    #expect(try strings.asReadOnlyStorage().toNonObjCValues().makeSyncStorage().retrieve(forKey: 1) == "é🛶")
    try strings.asWriteOnlyStorage().toNonObjCValues().makeSyncStorage().set("x", forKey: 1)
    #expect(try strings.toNonObjCValues().makeSyncStorage().retrieve(forKey: 1) == "x")
    let urls = MemoryStorage<Int, NSURL>()
    try urls.toNonObjCValues().makeSyncStorage().set(url, forKey: 1)
    #expect(try urls.asReadOnlyStorage().toNonObjCValues().makeSyncStorage().retrieve(forKey: 1) == url)
    let paths = MemoryStorage<Int, NSIndexPath>()
    try paths.toNonObjCValues().makeSyncStorage().set(path, forKey: 1)
    #expect(try paths.asReadOnlyStorage().toNonObjCValues().makeSyncStorage().retrieve(forKey: 1) == path)
    let data = MemoryStorage<Int, NSData>()
    try data.toNonObjCValues().makeSyncStorage().set(Data([1, 2]), forKey: 1)
    #expect(
      try data.asReadOnlyStorage().toNonObjCValues().makeSyncStorage().retrieve(forKey: 1) == Data([1, 2]))
    let dates = MemoryStorage<Int, NSDate>()
    try dates.toNonObjCValues().makeSyncStorage().set(date, forKey: 1)
    #expect(try dates.asReadOnlyStorage().toNonObjCValues().makeSyncStorage().retrieve(forKey: 1) == date)
  }

  @Test func `Keys that were mapped can be listed`() async throws {
    let strings = MemoryStorage<NSString, Int>(storage: [NSString(string: "a"): 1])
    var keys: [String] = []
    for try await key in strings.toNonObjCKeys().keys() { keys.append(key) }
    #expect(keys == ["a"])
  }
}
