import Dispatch
import Shallows
import Synchronization

/// A storage that can do everything, except that chosen calls fail; it answers at once or on another thread.
final class Tier: AnsweringStorage, Sendable {
  enum Call: CaseIterable { case retrieve, set, setExpiring, remove, update }

  /// A call that fails without any effect, and how.
  struct Failure: Sendable {
    var call: Call
    var isRefusal: Bool

    static let all = Call.allCases.flatMap { call in
      [false, true].map { Failure(call: call, isRefusal: $0) }
    }

    fileprivate var error: any Error {
      isRefusal ? StorageError.notSupported(.atomicUpdate, storageName: "tier") : ProbeError()
    }
  }

  private let values: Mutex<[String: ExpiringValue<Int>]>
  private let failure = Mutex<Failure?>(nil)
  private let isAsync: Bool

  init(_ values: [String: Int], isAsync: Bool) {
    self.values = Mutex(values.mapValues { ExpiringValue($0) })
    self.isAsync = isAsync
  }

  func fail(_ failure: Failure?) { self.failure.withLock { $0 = failure } }

  var contents: [String: Int] { values.withLock { $0.mapValues(\.value) } }

  func expiry(of key: String) -> StorageExpiry? { values.withLock { $0[key]?.expiry } }

  func answer(forKey key: String) -> StorageAnswer<Int> {
    answer(withExpiryForKey: key).map { $0.map(\.value) }
  }

  func answer(withExpiryForKey key: String) -> StorageAnswer<ExpiringValue<Int>> {
    answer(.retrieve) { try $0[key].unwrap(orThrow: StorageError.noValue) }
  }

  func answer(setting value: Int, forKey key: String, expiry: StorageExpiry) -> StorageAnswer<Void> {
    answer(expiry == .never ? .set : .setExpiring) { $0[key] = ExpiringValue(value, expiry: expiry) }
  }

  func answer(removing key: String) -> StorageAnswer<Void> { answer(.remove) { $0[key] = nil } }

  func answerRemovingAll() -> StorageAnswer<Void> { answer(.remove) { $0 = [:] } }

  func answer(
    updating key: String, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Int>) throws -> Int?
  ) -> StorageAnswer<Int?> {
    // A value that cannot be read is none that an update could begin with.
    let readingError = failure.withLock { $0?.call == .retrieve ? $0?.error : nil }
    return answer(.update) { values in
      let old = values[key]
      let found = old.map { ShallowsResult.success($0.value) } ?? .failure(StorageError.noValue)
      let new = try modify(readingError.map { .failure($0) } ?? found)
      values[key] = new.map { ExpiringValue($0, expiry: expiry ?? old?.expiry ?? .never) }
      return new
    }
  }

  private func answer<Value: Sendable>(
    _ call: Call, _ body: @escaping (inout [String: ExpiringValue<Int>]) throws -> Value
  ) -> StorageAnswer<Value> {
    let run = {
      ShallowsResult<Value> {
        if let failure = self.failure.withLock({ $0 }), failure.call == call { throw failure.error }
        return try self.values.withLock { try body(&$0) }
      }
    }
    guard isAsync else { return .ready(run()) }
    return .pending { completion in
      let job = Handed { completion(run()) }
      DispatchQueue.global().async { job.value() }
    }
  }
}
