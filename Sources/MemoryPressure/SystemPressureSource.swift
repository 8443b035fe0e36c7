#if canImport(Darwin)
  internal import Dispatch
  internal import Synchronization

  /// What an Apple system tells by itself.
  package final class SystemPressureSource: MemoryPressureSource {
    // Sendable: sources may be used from every thread.
    private final class Source: @unchecked Sendable {
      let source: any DispatchSourceMemoryPressure

      init(_ source: any DispatchSourceMemoryPressure) { self.source = source }
    }

    private let source = Mutex<Source?>(nil)

    package init() {}

    deinit {
      stop()
    }

    package var unsupportedReason: String? { nil }

    package func start(_ tell: @escaping @Sendable (MemoryPressureLevel) -> Void) {
      let new = Source(
        DispatchSource.makeMemoryPressureSource(eventMask: .all, queue: .global(qos: .utility)))
      new.source.setEventHandler { [weak new] in
        guard let event = new?.source.data else { return }
        tell(event.contains(.critical) ? .critical : event.contains(.warning) ? .warning : .normal)
      }
      replace(by: new)
      new.source.activate()
    }

    package func stop() {
      replace(by: nil)
    }

    private func replace(by new: Source?) {
      let old = source.withLock { source in
        let old = source
        source = new
        return old
      }
      old?.source.cancel()
    }
  }
#endif
