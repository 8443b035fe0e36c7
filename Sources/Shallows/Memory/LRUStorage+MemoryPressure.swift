@_exported public import MemoryPressure
internal import Synchronization

extension LRUStorage {
  /// Gives back memory: half of what is held under a warning, everything when it is critical.
  ///
  /// Half is half of the cost, or of the values where all of them are free. What was used longest ago goes first.
  public func respond(to level: MemoryPressureLevel) {
    switch level {
    case .normal: break
    case .warning:
      trim { count, cost in cost > 0 ? (.max, cost / 2) : (count / 2, .max) }
    case .critical: dropAll(areEvictions: true)
    }
  }
}

extension LRUStorage where Key: Sendable, Value: Sendable {
  /// Begins or ends to give back memory by itself when the system says that it is scarce; at first it does not.
  ///
  /// The monitor does not keep the storage alive. Where the system does not tell (`isSupported` of the monitor),
  /// call `respond(to:)`.
  public func trimsUnderMemoryPressure(_ isOn: Bool, monitor: MemoryPressureMonitor = .shared) {
    // Asked for without the lock, which is not needed by what then may call at once.
    let new = isOn ? monitor.observe { [weak self] level in self?.respond(to: level) } : nil
    let old = pressureObservation.withLock { observation in
      let old = observation
      observation = new
      return old
    }
    old?.cancel()
  }
}
