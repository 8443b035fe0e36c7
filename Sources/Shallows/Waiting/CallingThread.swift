internal import CSediment

/// What the thread that calls is about, which decides where a completion may be called.
@usableFromInline
enum CallingThread {
  /// Whether the thread is in the last quarter of its stack.
  @usableFromInline
  static var isDeep: Bool { sediment_stack_is_deep() }

  /// Calls a completion in the last quarter of the stack, or on another thread if it belongs to a chain: if the call was
  /// made by a completion that was called there, too.
  ///
  /// A recursion whose calls have returned before it goes deeper is no chain, so its calls are completed before they
  /// return however deep it goes.
  static func completeDeep(_ completion: @escaping () -> Void) {
    if unsafe sediment_this_thread().pointee.completes_deep { return Workers.shared.run(completion) }
    unsafe sediment_this_thread().pointee.completes_deep = true
    completion()
    unsafe sediment_this_thread().pointee.completes_deep = false
  }

  /// Who the call that begins is for.
  enum Caller: Int {
    /// Nobody that is known: a completion is code of a user's.
    case nobody
    /// This thread, which is about to sleep until the completion is called: it may do itself what is to be done.
    case waits
    /// A task that is about to be suspended until the completion is called.
    case awaits
  }

  static var caller: Caller { unsafe Caller(rawValue: sediment_this_thread().pointee.caller) ?? .nobody }

  /// Whether somebody waits for the call that begins, or awaits it.
  @usableFromInline static var isAwaited: Bool { caller != .nobody }

  static func calling(for caller: Caller, _ body: () -> Void) {
    let before = unsafe sediment_this_thread().pointee.caller
    unsafe sediment_this_thread().pointee.caller = caller.rawValue
    body()
    unsafe sediment_this_thread().pointee.caller = before
  }

  /// Whether the thread is one of `Workers`.
  static var isWorker: Bool {
    get { unsafe sediment_this_thread().pointee.is_worker }
    set { unsafe sediment_this_thread().pointee.is_worker = newValue }
  }

  /// The jobs that the thread does, one after another.
  static var drain: SerialQueue.Drain? {
    unsafe sediment_this_thread().pointee.drain.map {
      unsafe Unmanaged<SerialQueue.Drain>.fromOpaque($0).takeUnretainedValue()
    }
  }

  @usableFromInline
  static func draining(_ drain: SerialQueue.Drain?, _ body: () -> Void) {
    withExtendedLifetime(drain) {
      let before = unsafe sediment_this_thread().pointee.drain
      defer { unsafe sediment_this_thread().pointee.drain = unsafe before }
      unsafe sediment_this_thread().pointee.drain = unsafe drain.map {
        unsafe Unmanaged.passUnretained($0).toOpaque()
      }
      body()
    }
  }

  /// What a thread has that does the jobs of a queue, while one of these runs.
  @usableFromInline @safe
  final class Turn: @unchecked Sendable {
    // Unchecked: the variable is only touched by the thread.
    private let thread = unsafe OpaquePointer(sediment_this_thread())
    private let drain = CallingThread.drain
    private var isKept = false

    @usableFromInline init() {}

    /// Runs a part of the job in which the thread goes on with nothing else, whatever it waits for.
    @usableFromInline
    func keep(_ body: () -> Void) {
      isKept = true
      CallingThread.draining(nil, body)
      isKept = false
    }

    /// Runs a closure that such a part has called, in which the thread makes way if it waits.
    @usableFromInline
    func pass(_ body: () -> Void) {
      guard unsafe OpaquePointer(sediment_this_thread()) == thread, isKept else { return body() }
      CallingThread.draining(drain, body)
    }
  }
}
