import Foundation
import Sediment
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Stores that are closed, and collections that go, while threads are inside.
@Suite(.serialized) struct StoreConcurrencyClosingTests {
  /// Runs a call that may be refused for some reasons, and no others; whether it was not.
  private static func isDone(unless codes: SedimentError.Code..., body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch let error as SedimentError where codes.contains(error.code) {
      return false
    }
  }

  @Test(arguments: StoreConcurrencyTests.accesses)
  func `Threads that use a store while it is closed and opened again finish or are told, and lose nothing`(
    _ access: SedimentOptions.Access
  ) throws {
    let files = try TemporaryStore()
    let current = Mutex(try files.open(access))
    let keys = (0..<6).map { VersionedKey($0) }
    let crew = Crew()
    let closedCount = Counter()
    for key in keys[..<3] {
      // Until a store takes the change: one that was closed has not made it.
      crew.repeating { generator, crew in
        try key.change { value in
          var isChanged = false
          while !isChanged {
            let store = current.withLock { $0 }
            isChanged = try Self.isDone(unless: .closed) {
              guard let value else {
                try store.remove(forKey: key.key)
                return
              }
              let durability: SedimentDurability = Bool.random(using: &generator) ? .synced : .unsynced
              try store.set(value, forKey: key.key, durability: durability)
            }
            if !isChanged {
              closedCount.add()
              // It was the last one that is opened.
              if crew.isDone, current.withLock({ $0 === store }) { throw CancellationError() }
            }
          }
        }
      }
    }
    for _ in 0..<3 {
      crew.repeating { generator, crew in
        let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
        let before = key.doneVersion
        let store = current.withLock { $0 }
        let isRead = try Self.isDone(unless: .closed) {
          var found: [UInt8]?
          _ = try store.withValue(forKey: key.key) { found = [UInt8](sedimentBytes: $0) }
          if let complaint = key.complaint(found, before: before) { crew.complain(complaint) }
          _ = try store.keys(withPrefix: "key")
          _ = try store.count()
          _ = store.statistics
        }
        if !isRead { closedCount.add() }
      }
    }
    try crew.work { closer in
      closer.start { _ in
        for round in 0..<ConcurrencyScale.of(1000) {
          try current.withLock { store in
            try store.close()
            store = try files.open(access)
          }
          // Somebody has met a closed store, and gone on.
          if round % 5 == 0 { usleep(500) }
        }
      }
    }
    let store = current.withLock { $0 }
    for key in keys {
      let complaint = try key.complaint(store.retrieve(forKey: key.key), before: key.doneVersion)
      #expect(complaint == nil)
    }
    try store.close()
  }

  @Test(arguments: StoreConcurrencyTests.accesses)
  func `A value that is read in place stays as it is, whatever becomes of its key and its store`(
    _ access: SedimentOptions.Access
  ) throws {
    for round in 0..<ConcurrencyScale.of(200) {
      let store = try TemporaryStore().open(access)
      // Records, and values with an extent.
      let sizes = [10, 300, 9000, 200_000]
      for (number, size) in sizes.enumerated() {
        try store.set([UInt8](repeating: UInt8(number), count: size), forKey: "\(number)")
      }
      let inside = Counter()
      let isClosed = Counter()
      let crew = Crew()
      try crew.work { crew in
        for (number, size) in sizes.enumerated() {
          crew.start { crew in
            let isWhole: () throws -> Bool? = {
              try store.withValue(forKey: "\(number)") { span in
                inside.add()
                if round % 2 == 0 { isClosed.wait(for: 1) }
                // What others write meanwhile, and what it writes itself from in here.
                for _ in 0..<3 {
                  _ = try Self.isDone(unless: .closed) { try store.set("new", forKey: "\(number)") }
                  _ = try Self.isDone(unless: .closed) {
                    _ = try store.withValue(forKey: "2") { other in _ = [UInt8](sedimentBytes: other) }
                  }
                }
                return [UInt8](sedimentBytes: span) == [UInt8](repeating: UInt8(number), count: size)
              }
            }
            if try isWhole() != true { crew.complain("the value of \(size) bytes was not what it was") }
          }
        }
        crew.start { _ in
          inside.wait(for: sizes.count)
          for number in sizes.indices {
            try store.set([UInt8](repeating: 9, count: 5000), forKey: "\(number)")
          }
          try store.remove(forKey: "1")
          try store.removeEverything()
          for number in 0..<50 { try store.set([UInt8](repeating: 8, count: 3000), forKey: "more:\(number)") }
          try store.checkpoint()
          // It waits for those who are inside.
          try store.close()
        }
        crew.start { _ in
          while try Self.isDone(unless: .closed, body: { _ = try store.contains("0") }) { usleep(200) }
          isClosed.add()
        }
      }
    }
  }

  @Test(arguments: StoreConcurrencyTests.accesses)
  func `What a clear has removed is not seen again, whoever reads and writes`(
    _ access: SedimentOptions.Access
  ) throws {
    let store = try TemporaryStore().open(access)
    let keys = try store.collection("cleared")
    /// Versions up to the first are gone, and there is none beyond the second.
    let floor = Atomic(0)
    let top = Atomic(0)
    let crew = Crew()
    for _ in 0..<3 {
      crew.repeating { generator, crew in
        let least = floor.load(ordering: .acquiring)
        let number = Int.random(in: 0..<20, using: &generator)
        let text = try keys.retrieve(forKey: "\(number)", as: String.self)
        if let text, !(least < Int(text) ?? -1 && Int(text) ?? -1 <= top.load(ordering: .acquiring)) {
          crew.complain("\(text) is there, and everything up to \(least) was cleared")
        }
      }
    }
    crew.repeating { _, crew in
      let least = floor.load(ordering: .acquiring)
      try keys.forEach { key, value in
        let text = String(sedimentBytes: value) ?? ""
        if String(sedimentBytes: key)?.hasPrefix("other") != true, Int(text) ?? -1 <= least {
          crew.complain("\(text) came, and everything up to \(least) was cleared")
        }
        return .continue
      }
      if try keys.count() < 0 { crew.complain("the count is negative") }
    }
    crew.repeating { generator, _ in
      try keys.set("x", forKey: "other:\(Int.random(in: 0..<500, using: &generator))")
    }
    try crew.work { writer in
      writer.start { _ in
        for version in 1...ConcurrencyScale.of(40_000) {
          top.store(version, ordering: .releasing)
          try keys.set("\(version)", forKey: "\(version % 20)")
          if version % 50 == 0 {
            if version % 200 == 0 { try store.removeEverything() } else { try keys.removeAll() }
            floor.store(version, ordering: .releasing)
          }
        }
      }
    }
    try keys.removeAll()
    #expect(try keys.count() == 0)
    #expect(try keys.keys() == [])
    try store.close()
  }

  @Test(arguments: StoreConcurrencyTests.accesses)
  func `Threads that use a collection while it is dropped and made again finish or are told`(
    _ access: SedimentOptions.Access
  ) throws {
    let files = try TemporaryStore()
    let store = try files.open(access)
    let crew = Crew()
    for thread in 0..<4 {
      crew.repeating { generator, crew in
        let keys = try store.collection("gone")
        let key = "\(thread):\(Int.random(in: 0..<10, using: &generator))"
        _ = try Self.isDone(unless: .collectionDropped) {
          try keys.set(key, forKey: key)
          let found = try keys.retrieve(forKey: key, as: String.self)
          // Only this thread sets and removes it, and the handle is of this collection and no later one.
          if found != key { crew.complain("\(key) was \(found ?? "gone")") }
          try keys.forEach { key, value in
            if [UInt8](sedimentBytes: key) != [UInt8](sedimentBytes: value) {
              crew.complain("a foreign value")
            }
            return .continue
          }
          try keys.update(forKey: key) { _ in nil }
          _ = try keys.count()
        }
      }
    }
    try crew.work { dropper in
      dropper.start { crew in
        for number in 0..<ConcurrencyScale.of(4000) {
          let keys = try store.collection("gone")
          try keys.set("x", forKey: "x")
          try store.dropCollection("gone")
          if try Self.isDone(unless: .collectionDropped, body: { try keys.set("y", forKey: "y") }) {
            crew.complain("a dropped collection took a value")
          }
          if number % 100 == 0 { try store.checkpoint() }
        }
      }
    }
    try store.dropCollection("gone")
    #expect(store.collectionNames == [])
    try store.close()
    let again = try files.open(access)
    #expect(again.collectionNames == [] && again.statistics.liveKeyCount == 0)
  }

  @Test func `Collections that several threads ask for at once are made once each`() throws {
    let files = try TemporaryStore()
    let store = try files.open()
    let count = ConcurrencyScale.of(2000)
    let crew = Crew()
    try crew.work { crew in
      for thread in 0..<6 {
        crew.start { crew in
          for number in 0..<count {
            let name = "c\(number)"
            try store.collection(name).set("\(thread)", forKey: "\(thread)")
            // Another handle of the same name leads to the same keys.
            if try store.collection(name).retrieve(forKey: "\(thread)", as: String.self) != "\(thread)" {
              crew.complain("\(name) is not what it was")
            }
          }
        }
      }
    }
    #expect(store.collectionNames.count == count)
    try store.close()
    let again = try files.open()
    #expect(Set(again.collectionNames) == Set((0..<count).map { "c\($0)" }))
    for number in 0..<count { #expect(try again.collection("c\(number)").count() == 6) }
  }

  @Test func `Many stores are opened, used and closed at once`() throws {
    let crew = Crew()
    try crew.work { crew in
      for _ in 0..<6 {
        crew.start { crew in
          let files = try TemporaryStore()
          for round in 0..<ConcurrencyScale.of(400) {
            let store = try files.open(durability: .interval(.milliseconds(1)))
            if try store.count() != round { crew.complain("not \(round) keys") }
            try store.set("\(round)", forKey: "\(round)")
            // Every third is left to be closed by whoever drops it last.
            if round % 3 != 0 { try store.close() }
          }
        }
      }
    }
  }
}
