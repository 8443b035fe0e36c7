import Shallows
import Testing

/// A way to put storages together, by its name.
struct Composition: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let make: @Sendable (StorageProbe, StorageProbe) -> Storage<String, Int>

  init(
    _ description: String, _ make: @escaping @Sendable (StorageProbe, StorageProbe) -> Storage<String, Int>
  ) {
    testDescription = description
    self.make = make
  }

  static let all =
    [
      Composition("combined") { $0.combined(with: $1) },
      Composition("combined, misses only") { $0.combined(with: $1, fallingThroughOn: .missesOnly) },
      Composition("combined, keys that cannot be hashed") { front, back in
        front.unhashable.combined(with: back.unhashable).mapKeys { Unhashable($0) }
      },
      Composition("backed") { $0.backed(by: $1) },
      Composition("zipped") { front, back in
        zip(front, back).mapValues(transformIn: { $0 + $1 }, transformOut: { ($0, 0) })
      },
      Composition("of two halves") { front, back in
        Storage(read: front.asReadOnlyStorage().backed(by: back), write: front.pushing(to: back))
      },
      Composition("by single steps") { front, back in
        Storage(
          storageName: "steps",
          retrieve: { front.dev.retrieve(forKey: $0, backedBy: back, completion: $1) },
          set: { front.dev.set($0, forKey: $1, pushingTo: back, completion: $2) })
      },
      Composition("of three tiers") { front, back in
        StorageProbe().combined(with: front).combined(with: back)
      },
    ] + strategies

  static let strategies: [Composition] = pulls.flatMap { pull in
    sets.map { set in
      Composition("combined, \(pull), \(set)") {
        $0.combined(with: $1, pullStrategy: pull, setStrategy: set)
      }
    }
  }

  static let pulls: [StorageCombinationPullStrategy] = [.pullThenComplete, .completeThenPull, .neverPull]
  static let sets: [StorageCombinationSetStrategy] = [.frontFirst, .backFirst, .frontOnly, .backOnly]
}

/// A way to make another storage of one, by its name.
struct Layer: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let make: @Sendable (Storage<String, Int>) -> Storage<String, Int>

  init(_ description: String, _ make: @escaping @Sendable (Storage<String, Int>) -> Storage<String, Int>) {
    testDescription = description
    self.make = make
  }

  static let all: [Layer] =
    [
      Layer("keys mapped") { $0.mapKeys { (key: String) in key } },
      Layer("keys mapped and back") { $0.mapKeys({ (key: String) in key }, inverse: { $0 }) },
      Layer("keys raw") { $0.mapKeys(toRawRepresentableType: RawKey.self).mapKeys { RawKey(rawValue: $0) } },
      Layer("values mapped") { $0.mapValues(transformIn: { $0 }, transformOut: { $0 }) },
      Layer("values raw") { storage in
        storage.mapValues(toRawRepresentableType: RawNumber.self)
          .mapValues(transformIn: { $0.rawValue }, transformOut: { RawNumber(rawValue: $0) })
      },
      Layer("renamed") { $0.renaming(to: "another") },
      Layer("fallback") { $0.fallback { throw $0 } },
      Layer("synchronized") { $0.synchronizedCalls() },
      Layer("coalescing") { $0.coalescingRetrievals() },
      Layer("in two halves") { Storage(read: $0.asReadOnlyStorage(), write: $0.asWriteOnlyStorage()) },
      Layer("halves transformed") { storage in
        let reading = storage.asReadOnlyStorage().mapKeys { (key: String) in key }.mapValues { $0 }
          .fallback { throw $0 }.coalescingRetrievals().renaming(to: "reading")
        let writing = storage.asWriteOnlyStorage().mapKeys { (key: String) in key }
          .mapValues { (value: Int) in value }.renaming(to: "writing")
        return Storage(read: reading, write: writing)
      },
    ] + waiting

  /// Those that wait for closures.
  static let waiting: [Layer] = [
    Layer("keys mapped, async") { $0.asyncMapKeys { (key: String) in key } },
    Layer("values mapped, async") { $0.asyncMapValues(transformIn: { $0 }, transformOut: { $0 }) },
    Layer("validated") { $0.validate { _ in true } },
    Layer("halves, async") { storage in
      let reading = storage.asReadOnlyStorage().asyncMapKeys { (key: String) in key }.asyncMapValues { $0 }
        .validate { _ in true }
      let writing = storage.asWriteOnlyStorage().asyncMapKeys { (key: String) in key }
        .asyncMapValues { (value: Int) in value }.validate { _ in true }
      return Storage(read: reading, write: writing)
    },
  ]
}

/// A key that stands for text.
struct RawKey: RawRepresentable, Hashable {
  var rawValue: String
}

/// A value that stands for a number.
struct RawNumber: RawRepresentable {
  var rawValue: Int
}

/// A key that cannot be hashed.
struct Unhashable {
  let text: String

  init(_ text: String) { self.text = text }
}

extension StorageProtocol where Key == String {
  var unhashable: Storage<Unhashable, Value> { mapKeys { $0.text } }
}
