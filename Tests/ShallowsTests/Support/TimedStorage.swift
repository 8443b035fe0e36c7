import Foundation
import Shallows
import Synchronization

/// A clock that a test sets.
final class TestClock: Sendable {
  private let seconds = Mutex<TimeInterval>(1_000)

  var now: Date { seconds.withLock { Date(timeIntervalSince1970: $0) } }

  func advance(bySeconds count: TimeInterval) { seconds.withLock { $0 += count } }
}

/// A storage in memory whose values expire by a clock of the test's; it answers at once, and counts its calls.
final class TimedStorage: AnsweringStorage, Sendable {
  private struct Stored {
    var value: Int
    var end: Date?
  }

  private struct State {
    var values: [String: Stored] = [:]
    var batchSizes: [Int] = []
    var retrievalCount = 0
  }

  let clock: TestClock
  private let state = Mutex(State())

  init(_ clock: TestClock) { self.clock = clock }

  /// How many keys each batch asked for.
  var batchSizes: [Int] { state.withLock { $0.batchSizes } }
  var retrievalCount: Int { state.withLock { $0.retrievalCount } }

  func end(of key: String) -> Date? { state.withLock { $0.values[key]?.end } }

  private func found(_ key: String) -> ShallowsResult<ExpiringValue<Int>> {
    let now = clock.now
    let stored = state.withLock { $0.values[key] }
    guard let stored, stored.end.map({ now < $0 }) ?? true else { return .failure(StorageError.noValue) }
    return .success(ExpiringValue(stored.value, expiry: stored.end.map { .at($0) } ?? .never))
  }

  func answer(forKey key: String) -> StorageAnswer<Int> {
    answer(withExpiryForKey: key).map { $0.map(\.value) }
  }

  func answer(withExpiryForKey key: String) -> StorageAnswer<ExpiringValue<Int>> {
    state.withLock { $0.retrievalCount += 1 }
    return .ready(found(key))
  }

  func answer(forKeys keys: [String]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Int>>]> {
    state.withLock { $0.batchSizes.append(keys.count) }
    return .value(keys.map(found))
  }

  func answer(setting value: Int, forKey key: String, expiry: StorageExpiry) -> StorageAnswer<Void> {
    let now = clock.now
    let end: Date? =
      switch expiry {
      case .never: nil
      case .at(let date): date
      case .after(let duration): now.addingTimeInterval(TimeInterval(duration.components.seconds))
      }
    state.withLock { $0.values[key] = Stored(value: value, end: end) }
    return .done
  }

  func answer(removing key: String) -> StorageAnswer<Void> {
    state.withLock { $0.values[key] = nil }
    return .done
  }

  func answerRemovingAll() -> StorageAnswer<Void> {
    state.withLock { $0.values = [:] }
    return .done
  }

  func keys() -> StorageKeys<String> { StorageKeys { self.state.withLock { Array($0.values.keys) } } }
}
