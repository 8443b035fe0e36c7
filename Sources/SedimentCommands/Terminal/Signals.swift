internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The signals that ask the tool to end: they are noted, and whatever is under way ends in order when it looks.
enum Signals {
  static let brokenPipe = SIGPIPE
  static let interrupt = SIGINT

  private static let received = Atomic<Int32>(0)
  /// A pipe that becomes readable with the first signal, so that waiting for input ends.
  private static let wake: (readEnd: Int32, writeEnd: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    return (ends[0], ends[1])
  }()

  /// The descriptor to wait for beside another one.
  static var wakeDescriptor: Int32 { wake.readEnd }

  /// Whether the tool was asked to end.
  static var isPending: Bool { received.load(ordering: .relaxed) != 0 }

  /// The end that a signal asks for; nil if there was none.
  static var failure: ToolFailure? {
    let number = received.load(ordering: .relaxed)
    return number == 0 ? nil : ToolFailure(.signal(number), nil)
  }

  /// Throws if the tool was asked to end.
  static func check() throws(ToolFailure) {
    if let failure { throw failure }
  }

  /// Forgets what was asked, so that a shell can go on after a command that was interrupted.
  static func forget() {
    received.store(0, ordering: .relaxed)
    var byte: UInt8 = 0
    while unsafe read(wake.readEnd, &byte, 1) > 0 {}
  }

  /// Notes signals from now on, those excepted that whoever started the tool has turned off.
  static func install() {
    // Made before a handler needs them, which must not wait for anybody who makes them.
    _ = (received.load(ordering: .relaxed), wake)
    // A reader that went away is an error of the write.
    _ = signal(SIGPIPE, SIG_IGN)
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    for number in numbers where !isIgnored(number) { handle(number) }
    // A process that is started by a thread which blocks signals begins with them blocked.
    var set = sigset_t()
    _ = unsafe sigemptyset(&set)
    for number in numbers { _ = unsafe sigaddset(&set, number) }
    _ = unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
  }

  private static func handle(_ number: Int32) {
    var action = sigaction()
    let note: @convention(c) (Int32) -> Void = { number in Signals.note(number) }
    #if canImport(Darwin)
      unsafe action.__sigaction_u.__sa_handler = note
    #elseif canImport(Musl)
      unsafe action.__sa_handler.sa_handler = note
    #else
      unsafe action.__sigaction_handler.sa_handler = note
    #endif
    // Without restarting: what waits is to look.
    action.sa_flags = 0
    _ = unsafe sigaction(number, &action, nil)
  }

  /// Called at any moment, so that it does no more than store and write.
  private static func note(_ number: Int32) {
    let before = errno
    received.store(number, ordering: .relaxed)
    var byte: UInt8 = 0
    _ = unsafe write(wake.writeEnd, &byte, 1)
    errno = before
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      let handler = unsafe action.__sigaction_u.__sa_handler
    #elseif canImport(Musl)
      let handler = unsafe action.__sa_handler.sa_handler
    #else
      let handler = unsafe action.__sigaction_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
