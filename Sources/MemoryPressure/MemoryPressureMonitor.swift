internal import Synchronization

/// Tells who asks for it when memory becomes scarce.
///
/// On Apple systems it passes on what the system tells. On Linux it looks once a second at the control groups of
/// the process, of either version, and at the time that is spent waiting for memory (PSI). Memory runs short there
/// when a group uses 85 % of its bound or some task waited for memory for 10 % of the last ten seconds; that is
/// critical from 95 % on, or when everything waited for 10 % of the time. Contents of files that were not needed
/// lately do not count as used. A level is told when it changes, and again every 15 seconds while memory is scarce.
///
/// Nothing runs while nobody listens.
public final class MemoryPressureMonitor: Sendable {
  /// Called with a level, from some thread of the system's.
  public typealias Handler = @Sendable (MemoryPressureLevel) -> Void

  /// The monitor of this system.
  public static let shared = MemoryPressureMonitor(source: systemSource())

  private struct Listeners {
    var handlers: [UInt64: (levels: Set<MemoryPressureLevel>, handler: Handler)] = [:]
    var lastNumber: UInt64 = 0
  }

  private let source: any MemoryPressureSource
  private let listeners = Mutex(Listeners())

  /// A monitor that learns from this source.
  package init(source: any MemoryPressureSource) {
    self.source = source
  }

  private static func systemSource() -> any MemoryPressureSource {
    #if canImport(Darwin)
      SystemPressureSource()
    #else
      PollingPressureSource()
    #endif
  }

  /// Whether this system tells of memory pressure.
  public var isSupported: Bool { unsupportedReason == nil }

  /// Why this system does not tell of memory pressure, and what to do then; nil if it does.
  public var unsupportedReason: String? { source.unsupportedReason }

  /// The observations under way.
  package var observationCount: Int { listeners.withLock { $0.handlers.count } }

  /// Calls the handler with each of these levels, until the observation is cancelled or let go of.
  ///
  /// Where it is not supported, the handler is called only if that changes.
  public func observe(
    _ levels: Set<MemoryPressureLevel> = [.warning, .critical], handler: @escaping Handler
  ) -> MemoryPressureObservation {
    let number = listeners.withLock { listeners in
      listeners.lastNumber += 1
      listeners.handlers[listeners.lastNumber] = (levels, handler)
      // Within the lock, so that the last to go and the first to come are not confused.
      if listeners.handlers.count == 1 { source.start { [weak self] level in self?.tell(level) } }
      return listeners.lastNumber
    }
    return MemoryPressureObservation { [weak self] in self?.remove(number) }
  }

  private func remove(_ number: UInt64) {
    // The handler ends outside of the lock, for it may hold what listens itself.
    let removed = listeners.withLock { listeners in
      let removed = listeners.handlers.removeValue(forKey: number)
      if removed != nil && listeners.handlers.isEmpty { source.stop() }
      return removed?.handler
    }
    _ = removed
  }

  private func tell(_ level: MemoryPressureLevel) {
    let handlers = listeners.withLock { listeners in
      listeners.handlers.sorted { $0.key < $1.key }.filter { $0.value.levels.contains(level) }
        .map(\.value.handler)
    }
    for handler in handlers { handler(level) }
  }
}

/// Listens to a monitor for as long as it exists, or until it is cancelled.
public final class MemoryPressureObservation: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit {
    end()
  }

  /// Ends it; a call of the handler that is under way goes on.
  public func cancel() {
    end()
  }
}
