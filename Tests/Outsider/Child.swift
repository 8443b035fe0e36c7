import Foundation
import Synchronization

/// A process of the same program that writes to a store and tells of it, until it is killed.
final class Child: @unchecked Sendable {
  // Sendable: what it told lies under a lock.
  private let process = Process()
  private let told = Mutex<[UInt8]>([])
  private let hasTold = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// An idle one opens the store and no more.
  init(_ owner: Case, _ step: Step, isIdle: Bool = false) throws {
    var plan = Plan()
    plan.settings = owner.settings
    plan.threadCount = owner.plan.threadCount
    plan.steps = isIdle ? [] : [step]
    process.executableURL = URL(fileURLWithPath: Self.program)
    process.arguments = [
      "--child", owner.path, "\(owner.seed)", "\(owner.lifeCount)", plan.description,
    ]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    Thread { [self] in listen(output.fileHandleForReading) }.start()
    let journal = Journal(input.fileHandleForWriting.fileDescriptor)
    if !isIdle {
      for worker in owner.workers { journal.tell(worker.model, of: worker.thread) }
    }
    try input.fileHandleForWriting.close()
  }

  static let program: String =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]

  private func listen(_ output: FileHandle) {
    while true {
      let data = output.availableData
      if data.isEmpty { break }
      told.withLock { $0.append(contentsOf: data) }
      hasTold.signal()
    }
    hasTold.signal()
    ended.signal()
  }

  /// Waits until it has opened the store, or has ended.
  func waitForFirst() { hasTold.wait() }

  /// Kills it, and returns what it told.
  func kill(_ findings: Findings) -> [Message] {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    ended.wait()
    if process.terminationReason != .uncaughtSignal || process.terminationStatus != SIGKILL {
      let how = process.terminationReason == .exit ? "exit code" : "signal"
      findings.add(.kill, "a process ended before it was killed: \(how) \(process.terminationStatus)")
    }
    return told.withLock { Message.all(in: $0[...]) }
  }

  // MARK: Inside

  /// What the process itself does with its arguments: path, seed, number, plan.
  static func live(_ arguments: [String]) throws -> Never {
    guard arguments.count == 4, let seed = UInt64(arguments[1]), let life = UInt64(arguments[2]),
      let plan = Plan(arguments[3])
    else { _exit(2) }
    let findings = Findings(descriptor: STDERR_FILENO)
    findings.place("in a process that is killed")
    let watch = Watch(findings)
    let messages = Message.all(in: [UInt8](FileHandle.standardInput.readDataToEndOfFile())[...])
    let session = try Session(
      arguments[0], plan.settings, threadCount: plan.threadCount, findings, watch, Account())
    let journal = Journal(STDOUT_FILENO)
    journal.send(.opened)
    watch.begin()
    session.journal = journal
    let workers = (0..<plan.threadCount).map { Worker(thread: $0, seed: seed, life: life, session) }
    for message in messages {
      switch message {
      case .entry(let thread, let space, let key, let value, let life):
        workers[thread].model.settle(space, key, Contents.Entry(value, life))
      case .begin(let thread, let time, let changes):
        workers[thread].model.apply(changes, from: time, to: time)
      default: break
      }
    }
    for worker in workers {
      worker.renumber()
      worker.account()
    }
    guard var step = plan.steps.first else { while true { sleep(1) } }
    step.seconds = 30
    let endless = step
    onThreads(workers.count) { workers[$0].run(endless) }
    while true { sleep(1) }
  }
}

extension Journal {
  /// Tells all that a thread knows.
  func tell(_ model: Model, of thread: Int) {
    for (space, contents) in model.spaces {
      send(.begin(thread: thread, time: 0, changes: [.create(space)]))
      for (key, entry) in contents.entries {
        send(.entry(thread: thread, space: space, key: key, value: entry.value, life: entry.life))
      }
    }
  }
}

extension Message {
  /// All messages that are whole.
  static func all(in bytes: ArraySlice<UInt8>) -> [Message] {
    var rest = bytes
    var messages: [Message] = []
    while rest.count >= 8 {
      let count = unsafe rest.withUnsafeBytes { unsafe $0.loadUnaligned(as: Int.self) }
      guard rest.count >= 8 + count, let message = Message(rest.dropFirst(8).prefix(count)) else { break }
      messages.append(message)
      rest = rest.dropFirst(8 + count)
    }
    return messages
  }
}
