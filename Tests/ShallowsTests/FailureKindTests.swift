import Foundation
import Sediment
import Shallows
import Testing

/// Failures that are told apart.
struct FailureKindTests {
  private struct Own: StorageFailure {
    let failureKind: FailureKind
  }

  @Test func `A missing value is told as such by every storage that has none`() async throws {
    let memory = MemoryStorage<String, Int>()
    let storages = [
      memory.asStorage(), memory.combined(with: memory), memory.backed(by: memory),
      memory.synchronizedCalls(),
      memory.validate { _ in true }, StorageProbe().asStorage(), TimedStorage(TestClock()).asStorage(),
    ]
    for storage in storages {
      let error = await #expect(throws: (any Error).self) { try await storage.retrieve(forKey: "a") }
      #expect(error?.isNoValue == true && error?.storageFailureKind == .noValue)
    }
  }

  @Test func `Every kind of failure is told from the others`() {
    let kinds: [(any Error, FailureKind)] = [
      (StorageError.noValue, .noValue), (MemoryStorageError.noValue, .noValue),
      (StorageError.notSupported(.keys, storageName: "a"), .notSupported),
      (UnsupportedTransformationStorageError.storageIsReadOnly, .notSupported),
      (CocoaError(.fileReadNoSuchFile), .noValue), (CocoaError(.fileNoSuchFile), .noValue),
      (CocoaError(.fileReadNoPermission), .cannotRead), (CocoaError(.propertyListReadCorrupt), .cannotDecode),
      (
        Swift.DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "")), .cannotDecode
      ),
      (SedimentError(.damaged, path: "a", message: ""), .cannotRead),
      (SedimentError(.locked, path: "a", message: ""), .cannotRead),
      (SedimentError(.undecodable, path: "a", message: ""), .cannotDecode),
      (SedimentError(.outOfSpace, path: "a", message: ""), .other),
      (Own(failureKind: .cannotDecode), .cannotDecode), (Own(failureKind: .noValue), .noValue),
      (ProbeError(), .other), (ValueValidationError(), .other),
    ]
    for (error, kind) in kinds {
      #expect(error.storageFailureKind == kind, "\(error)")
      #expect(error.isNoValue == (kind == .noValue))
    }
  }

  @Test func `A value that is damaged is not taken for a miss unless asked`() throws {
    struct Wrong: StorageFailure { var failureKind: FailureKind { .cannotDecode } }
    let front = MemoryStorage(storage: ["a": "x"]).mapValues(
      transformIn: { (text: String) -> Int in try Int(text).unwrap(orThrow: Wrong()) },
      transformOut: { "\($0)" })
    let back = StorageProbe(["a": 1])
    let strict = front.combined(with: back, fallingThroughOn: .missesOnly).makeSyncStorage()
    #expect(throws: Wrong.self) { try strict.retrieve(forKey: "a") }
    #expect(back.count(.retrieve) == 0)
    #expect(try front.combined(with: back).makeSyncStorage().retrieve(forKey: "a") == 1)
    // And that has mended the front.
    #expect(try strict.retrieve(forKey: "a") == 1)
  }

  @Test func `What is not supported is named with what to do about it`() {
    let abilities: [StorageAbility] = [.removing, .removingAll, .expiry, .atomicUpdate, .keys]
    for ability in abilities {
      let text = "\(StorageError.notSupported(ability, storageName: "disk-a"))"
      #expect(text.contains("\"disk-a\" does not support \(ability.rawValue); ") && text.hasSuffix("."))
    }
    #expect("\(StorageError.noValue)" == "There is no value for this key.")
  }
}
