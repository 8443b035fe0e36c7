internal import Synchronization

/// Wakes those who wait for events; several announcements that nobody has heard yet are one.
final class Arrivals: Sendable {
  private let listeners = Mutex<(next: Int, byNumber: [Int: AsyncStream<Void>.Continuation])>((0, [:]))

  func follow() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = listeners.withLock { listeners in
      listeners.next += 1
      listeners.byNumber[listeners.next] = continuation
      return listeners.next
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.listeners.withLock { $0.byNumber.removeValue(forKey: number) }
    }
    return stream
  }

  func announce() {
    for continuation in listeners.withLock({ Array($0.byNumber.values) }) { continuation.yield() }
  }
}
