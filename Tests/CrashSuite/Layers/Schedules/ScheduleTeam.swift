import Dispatch
import Foundation
import Synchronization

#if os(Linux)
  import Glibc
#endif

/// Threads that are used for one schedule after another; all of them on one processor, since one goes on at a time.
final class ScheduleTeam: Sendable {
  private let members: [Member]

  /// Unchecked: the semaphore orders the variable.
  private final class Member: @unchecked Sendable {
    let hasJob = DispatchSemaphore(value: 0)
    var job: (() -> Void)?
  }

  private static let free = Mutex<(teams: [ScheduleTeam], count: Int)>(([], 0))
  static let memberCountMax = 8

  /// A team that nobody uses.
  static func take() -> ScheduleTeam {
    let number = free.withLock { free -> Int? in
      if !free.teams.isEmpty { return nil }
      free.count += 1
      return free.count - 1
    }
    if let number { return ScheduleTeam(processor: number % ProcessInfo.processInfo.activeProcessorCount) }
    return free.withLock { $0.teams.popLast() } ?? take()
  }

  /// Gives back a team all of whose members have ended their jobs.
  func giveBack() { Self.free.withLock { $0.teams.append(self) } }

  private init(processor: Int) {
    members = (0..<Self.memberCountMax).map { _ in Member() }
    for member in members {
      let thread = Thread {
        Self.pin(to: processor)
        while true {
          member.hasJob.wait()
          member.job?()
        }
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
  }

  func begin(_ number: Int, _ job: @escaping () -> Void) {
    members[number].job = job
    members[number].hasJob.signal()
  }

  private static func pin(to processor: Int) {
    #if os(Linux)
      // The C library hides it from strict programs.
      typealias SetAffinity = @convention(c) (pid_t, Int, UnsafeRawPointer) -> CInt
      guard let symbol = unsafe dlsym(nil, "sched_setaffinity") else { return }
      let setAffinity = unsafe unsafeBitCast(symbol, to: SetAffinity.self)
      var set = cpu_set_t()
      unsafe withUnsafeMutableBytes(of: &set) { unsafe $0[processor / 8] = 1 << UInt8(processor % 8) }
      // That it fails makes it slower.
      _ = unsafe setAffinity(0, MemoryLayout<cpu_set_t>.size, &set)
    #endif
  }
}
