internal import Dispatch
internal import Synchronization

/// Looks at figures every second, and tells what they mean when that changes.
package final class PollingPressureSource: MemoryPressureSource {
  private struct State {
    var tell: (@Sendable (MemoryPressureLevel) -> Void)?
    var timer: Timer?
    var telling = MemoryPressureTelling()
  }

  // Sendable: timers may be used from every thread.
  private final class Timer: @unchecked Sendable {
    let source: any DispatchSourceTimer

    init(_ source: any DispatchSourceTimer) { self.source = source }
  }

  private let reader: MemoryFiguresReader
  private let intervalMilliseconds: Int
  private let clock: @Sendable () -> UInt64
  private let state = Mutex(State())

  /// A source that has a reader's figures; without an interval it looks at them only when `poll` is called.
  ///
  /// The clock counts seconds and never goes back.
  package init(
    reader: MemoryFiguresReader = MemoryFiguresReader(), intervalMilliseconds: Int? = 1000,
    clock: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds / 1_000_000_000 }
  ) {
    self.reader = reader
    self.intervalMilliseconds = intervalMilliseconds ?? 0
    self.clock = clock
  }

  deinit {
    stop()
  }

  package var unsupportedReason: String? {
    if reader.read() != nil { return nil }
    return
      "This system tells nothing of memory pressure: there is no /proc/pressure/memory, and no control group"
      + " of this process has a bound. Call respond(to:) when memory runs short."
  }

  package func start(_ tell: @escaping @Sendable (MemoryPressureLevel) -> Void) {
    let timer = intervalMilliseconds > 0 ? newTimer() : nil
    let old = state.withLock { state in
      let old = state.timer
      state = State(tell: tell, timer: timer)
      return old
    }
    old?.source.cancel()
    timer?.source.activate()
  }

  package func stop() {
    let old = state.withLock { state in
      let old = state.timer
      state = State()
      return old
    }
    old?.source.cancel()
  }

  private func newTimer() -> Timer {
    let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    let interval = DispatchTimeInterval.milliseconds(intervalMilliseconds)
    timer.schedule(deadline: .now(), repeating: interval, leeway: .milliseconds(intervalMilliseconds / 4))
    timer.setEventHandler { [weak self] in self?.poll() }
    return Timer(timer)
  }

  /// Looks at the figures, and tells their level if that is news.
  package func poll() {
    guard let figures = reader.read() else { return }
    let level = MemoryPressurePolicy.level(of: figures)
    let second = clock()
    let tell = state.withLock { state in
      state.telling.tells(level, at: second) ? state.tell : nil
    }
    tell?(level)
  }
}
