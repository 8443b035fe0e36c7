import Shallows
import Testing

/// A completion is called once, whatever is put together of what, wherever its parts complete and whatever fails.
struct CompletionTests {
  private static let calls: [StorageProbe.Call] = [.retrieve, .set, .remove, .removeAll]

  private static func probes(
    _ delivery: StorageProbe.Delivery, _ failing: Int
  ) -> (front: StorageProbe, back: StorageProbe) {
    let failures = Dictionary(uniqueKeysWithValues: calls.map { ($0, ProbeError() as any Error) })
    return (
      StorageProbe(delivery: delivery, failing: failing & 1 == 0 ? [:] : failures),
      StorageProbe(["there": 1], delivery: delivery, failing: failing & 2 == 0 ? [:] : failures)
    )
  }

  /// How often the completion of each call was called that a storage has.
  private static func counts(_ storage: Storage<String, Int>) -> [Int] {
    let retrievals = ["there", "missing"].map { key in
      results { storage.retrieve(forKey: key, completion: $0) }
    }
    let changes = [
      results { storage.set(2, forKey: "there", completion: $0) },
      results { storage.set(2, forKey: "there", expiry: .never, completion: $0) },
      results { storage.set(2, forKey: "there", expiry: .after(.seconds(9)), completion: $0) },
      results { storage.remove(forKey: "there", completion: $0) },
      results { storage.removeAll(completion: $0) },
    ]
    let updates = results { storage.atomicUpdate(forKey: "there", { $0 += 1 }, completion: $0) }
    let batches = results { completion in
      storage.retrieve(forKeys: ["there", "missing", "there"]) { completion(.success($0)) }
    }
    let batchSize = batches.first?.value?.count
    #expect(batchSize == 3)
    return retrievals.map(\.count) + changes.map(\.count) + [updates.count, batches.count]
  }

  @Test(arguments: Composition.all, [StorageProbe.Delivery.inline, .elsewhere])
  func `Every call of a composition completes once, whichever side fails`(
    composition: Composition, delivery: StorageProbe.Delivery
  ) {
    for failing in 0..<4 {
      let (front, back) = Self.probes(delivery, failing)
      let counts = Self.counts(composition.make(front, back))
      #expect(counts == Array(repeating: 1, count: counts.count), "failing: \(failing)")
    }
  }

  @Test(arguments: Layer.all, [StorageProbe.Delivery.inline, .elsewhere])
  func `Every call of a transform completes once, whether what is below fails or not`(
    layer: Layer, delivery: StorageProbe.Delivery
  ) {
    for failing in [0, 3] {
      let counts = Self.counts(layer.make(Self.probes(delivery, failing).back.asStorage()))
      #expect(counts == Array(repeating: 1, count: counts.count), "failing: \(failing)")
    }
  }

  @Test(arguments: Layer.all, Composition.all)
  func `Every call completes once where transforms lie between the tiers`(
    layer: Layer, composition: Composition
  ) {
    let (front, back) = Self.probes(.elsewhere, 0)
    let storage = layer.make(
      composition.make(StorageProbe(), front).combined(with: layer.make(back.asStorage())))
    let counts = Self.counts(storage)
    #expect(counts == Array(repeating: 1, count: counts.count))
  }

  // MARK: Storages that answer more than once

  @Test func `A storage that completes twice does so through compositions and transforms`() {
    let twice = StorageProbe(["a": 1], completionCount: 2)
    let storages = [
      twice.mapValues(transformIn: { $0 }, transformOut: { $0 }), twice.mapKeys { (key: String) in key },
      twice.defaulting(to: 2), twice.combined(with: StorageProbe()), twice.backed(by: StorageProbe()),
      twice.validate { _ in true }, twice.renaming(to: "a"), StorageProbe().combined(with: twice),
      StorageProbe().backed(by: twice), twice.coalescingRetrievals(), twice.synchronizedCalls(),
    ]
    for (index, storage) in storages.enumerated() {
      let values = results { storage.retrieve(forKey: "a", completion: $0) }.map(\.value)
      #expect(values == [1, 1], "storage \(index)")
    }
    let zipped = zip(StorageProbe(["a": 2]), twice)
    #expect(results { zipped.retrieve(forKey: "a", completion: $0) }.count == 2)
  }

  @Test func `What returns a result takes the first of several, and goes on`() async throws {
    let twice = StorageProbe(["a": 1], delivery: .elsewhere, completionCount: 2)
    let front = StorageProbe(delivery: .elsewhere, completionCount: 2).combined(with: twice)
    let differing = Storage<String, Int>(
      storageName: "quick, then fresh",
      retrieve: { _, completion in
        completion(.success(1))
        completion(.success(2))
      },
      set: { _, _, completion in
        completion(.success(()))
        completion(.failure(ProbeError()))
      })
    #expect(try differing.makeSyncStorage().retrieve(forKey: "a") == 1)
    #expect(try await differing.retrieve(forKey: "a") == 1)
    #expect(try await differing.retrieve(forKeys: ["a", "b"]) == [1, 1])
    #expect(throws: Never.self) { try differing.makeSyncStorage().set(1, forKey: "a") }
    try await differing.set(1, forKey: "a")
    for storage in [twice.asStorage(), front, twice.synchronizedCalls(), twice.coalescingRetrievals()] {
      let sync = storage.makeSyncStorage()
      #expect(try sync.retrieve(forKey: "a") == 1)
      try sync.set(1, forKey: "a")
      #expect(try await storage.retrieve(forKey: "a") == 1)
      try await storage.set(1, forKey: "a")
      #expect(try await storage.retrieve(forKeys: ["a", "b", "a"]) == [1, nil, 1])
    }
  }
}
