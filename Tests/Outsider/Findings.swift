import Foundation
import Synchronization

/// What is not as it should be, each with where the case was then.
final class Findings: Sendable {
  private struct State {
    var texts: [String] = []
    var seen: [String: Int] = [:]
    var place = "at the beginning"
  }

  private let state = Mutex(State())
  /// Where they are told.
  private let descriptor: Int32
  /// Whether threads should end what they do.
  private let isFatalFlag = Atomic<Bool>(false)
  /// How many findings of one oracle are told.
  private static let toldMax = 3

  init(descriptor: Int32 = STDOUT_FILENO) { self.descriptor = descriptor }

  var count: Int { state.withLock { $0.seen.values.reduce(0, +) } }
  var isFatal: Bool { isFatalFlag.load(ordering: .relaxed) }

  /// Says where the case is now.
  func place(_ text: String) { state.withLock { $0.place = text } }

  /// Notes that an oracle does not hold, with the figures.
  ///
  /// Behind a fatal one nothing can be told from the model any more, or nothing new.
  func add(_ oracle: Oracle, _ text: String) {
    state.withLock { state in
      state.seen[oracle.rawValue, default: 0] += 1
      guard state.seen[oracle.rawValue]! <= Self.toldMax else { return }
      tell("finding: \(oracle.rawValue): \(text) [\(state.place)]")
    }
    let isRepeated = oracle.isOfRoom && state.withLock { $0.seen[oracle.rawValue, default: 0] > Self.toldMax }
    if oracle.isFatal || isRepeated { isFatalFlag.store(true, ordering: .relaxed) }
  }

  /// Prints a line at once.
  func tell(_ line: String) { say(line, to: descriptor) }

  /// One line that says how often each oracle failed.
  var summary: String {
    state.withLock { state in
      state.seen.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
  }
}

/// Prints a line at once, lest the death of the process take it.
func say(_ line: String, to descriptor: Int32 = STDOUT_FILENO) {
  let bytes = Array("\(line)\n".utf8)
  _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
}

/// What has to hold.
enum Oracle: String {
  /// A value is the last one that was set, is there, and is whole.
  case value
  /// Counts, names and figures are those of the model.
  case count
  /// Going through all keys meets each once.
  case iteration
  /// What a call throws is what it says that it throws.
  case error
  /// Records take at most twice the live bytes and 16 MiB.
  case bound
  /// A file never has more bytes than its cap.
  case cap
  /// A file is as short as what it holds allows once it was compacted.
  case length
  /// A change succeeds where there is room for it.
  case progress
  /// Removing succeeds always.
  case removal
  /// A call returns in time.
  case time
  /// A backup is what the store was at one moment.
  case backup
  /// Verification finds nothing.
  case verify
  /// What was acknowledged before a process was killed is there.
  case kill

  /// Whether it is about room, of which a store that has none any more has none again and again.
  var isOfRoom: Bool { self == .progress || self == .removal }

  var isFatal: Bool {
    switch self {
    case .value, .iteration, .backup, .kill: true
    default: false
    }
  }
}
