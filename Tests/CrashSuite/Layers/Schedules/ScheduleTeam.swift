import ScheduleContexts
import Synchronization

/// The contexts of a schedule's threads, and that of whoever runs it: used for one schedule after another.
///
/// All of them are on one thread of the system, since one of them goes on at a time.
///
/// Unchecked: whoever took the team alone uses it.
final class ScheduleTeam: @unchecked Sendable {
  static let memberCountMax = 8

  private let caller = ScheduleContext.ofCaller()
  private let members = (0..<memberCountMax).map { _ in Member() }

  /// A context with what it is to do.
  private final class Member {
    let context = ScheduleContext.new()
    /// Returns who goes on when it has ended.
    var job: (() -> ScheduleContext)?

    func work() -> ScheduleContext {
      let job = job
      self.job = nil
      guard let job else { preconditionFailure("nobody gave it anything to do") }
      return job()
    }
  }

  private static let free = Mutex<[ScheduleTeam]>([])

  /// A team that nobody uses.
  static func take() -> ScheduleTeam { free.withLock { $0.popLast() } ?? ScheduleTeam() }

  /// Gives back a team all of whose members have ended their jobs.
  func giveBack() { Self.free.withLock { $0.append(self) } }

  func context(of number: Int) -> ScheduleContext { members[number].context }

  /// Where `start` goes on in the end.
  var end: ScheduleContext { caller }

  /// Lets a member do something once it gets the turn, after which what that returns gets it.
  func begin(_ number: Int, _ job: @escaping () -> ScheduleContext) {
    let member = members[number]
    member.job = job
    unsafe schedule_context_begin(
      member.context.pointer,
      { argument in
        guard let argument = unsafe argument else { return nil }
        // The team has it for as long as anything runs on its contexts.
        return unsafe Unmanaged<Member>.fromOpaque(argument).takeUnretainedValue().work().pointer
      }, Unmanaged.passUnretained(member).toOpaque())
  }

  /// Gives a member the turn, and returns once `end` gets it.
  func start(_ number: Int) { caller.giveTurn(to: members[number].context) }
}

/// One of the stacks that take turns.
@safe
struct ScheduleContext {
  fileprivate let pointer: OpaquePointer

  static func ofCaller() -> ScheduleContext { unsafe ScheduleContext(pointer: schedule_context_of_caller()) }
  static func new() -> ScheduleContext { unsafe ScheduleContext(pointer: schedule_context_new()) }

  /// Returns when somebody gives the turn back to this one, which had it.
  func giveTurn(to next: ScheduleContext) { unsafe schedule_context_switch(pointer, next.pointer) }
}
