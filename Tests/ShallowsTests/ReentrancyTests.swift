import Shallows
import Testing

/// Closures that use the storage which is calling them.
struct ReentrancyTests {
  @Test(arguments: Layer.all, [StorageProbe.Delivery.inline, .elsewhere])
  func `A completion may use the storage again, and wait for it`(
    layer: Layer, delivery: StorageProbe.Delivery
  ) {
    let storage = layer.make(
      StorageProbe().combined(with: StorageProbe(["a": 1, "b": 2], delivery: delivery)))
    let told = ResultList<Int>()
    storage.retrieve(forKey: "a") { first in
      storage.set(3, forKey: "c") { _ in
        storage.retrieve(forKey: "a") { second in
          told.append(
            Result {
              try first.get() + second.get() * 10 + storage.makeSyncStorage().retrieve(forKey: "c") * 100
            })
        }
      }
    }
    told.waitForOne()
    #expect(told.all.map(\.value) == [311])
  }

  @Test func `Transforms and defaults may use the storage that they belong to`() throws {
    let base = MemoryStorage(storage: ["a": 1, "b": 2])
    let sync = base.makeSyncStorage()
    let storage = base.mapKeys { (key: String) -> String in
      _ = try sync.retrieve(forKey: "b")
      return key
    }
    .mapValues(
      transformIn: { (value: Int) in try value + sync.retrieve(forKey: "b") },
      transformOut: { (value: Int) in
        try sync.set(value, forKey: "seen")
        return value
      }
    )
    .defaulting(to: (try? sync.retrieve(forKey: "b")) ?? 0).makeSyncStorage()
    #expect(try storage.retrieve(forKey: "a") == 3)
    #expect(try storage.retrieve(forKey: "missing") == 2)
    try storage.set(9, forKey: "a")
    #expect(base.storage == ["a": 9, "b": 2, "seen": 9])
  }

  @Test func `A combined storage may be its own front's and back's user`() throws {
    let memory = MemoryStorage<String, Int>()
    let inner = memory.combined(with: StorageProbe(["a": 1]))
    let outer = inner.combined(with: inner).combined(with: memory)
    #expect(try outer.makeSyncStorage().retrieve(forKey: "a") == 1)
    try outer.makeSyncStorage().set(2, forKey: "a")
    #expect(memory.storage == ["a": 2])
  }

  @Test func `Many threads use one composition of all`() throws {
    let base = MemoryStorage<String, Int>()
    var storage = MemoryStorage().combined(with: StorageProbe().combined(with: base))
    for layer in Layer.all { storage = layer.make(storage) }
    let sync = storage.makeSyncStorage()
    onThreads(6) { thread in
      for number in 0..<20 {
        #expect(throws: Never.self) {
          try sync.set(number, forKey: "\(thread)")
          let found = try sync.retrieve(forKey: "\(thread)")
          #expect(found == number)
          try sync.remove(forKey: "\(thread)")
        }
      }
    }
    #expect(base.storage.isEmpty)
  }
}
