/// The jobs that run, and by them, when another job may begin.
///
/// A running job keeps its place for a limited time. After that it is taken for one that waits, for a disk that hangs or
/// an observer that blocks, and another job may begin in its place.
package struct WorkPlaces {
  let count: Int
  /// How long a job keeps its place.
  let nanoseconds: UInt64
  /// When the running jobs began, in ascending order.
  private var begun: [UInt64] = []

  package init(count: Int, nanoseconds: UInt64) {
    self.count = count
    self.nanoseconds = nanoseconds
  }

  /// As many places, none of them taken.
  var emptied: WorkPlaces { WorkPlaces(count: count, nanoseconds: nanoseconds) }

  /// When a job that is due at a time may begin, by the jobs that run now.
  ///
  /// That is once it is due and a place is free. A job that has been due for as long as a place is kept waits no longer.
  package func timeToBegin(jobDueAt due: UInt64) -> UInt64 {
    guard begun.count >= count else { return due }
    let free = end(of: begun[begun.count - count])
    return max(due, min(free, end(of: due)))
  }

  /// Until when a job keeps a place that it got at a time.
  private func end(of time: UInt64) -> UInt64 {
    let (end, isTooLong) = time.addingReportingOverflow(nanoseconds)
    return isTooLong ? .max : end
  }

  package mutating func begin(at time: UInt64) {
    begun.append(time)
  }

  /// Notes that a job has ended; whether all places may have been taken before.
  package mutating func end(begunAt time: UInt64) -> Bool {
    begun.remove(at: begun.firstIndexByHalving { $0 >= time })
    return begun.count + 1 >= count
  }
}
