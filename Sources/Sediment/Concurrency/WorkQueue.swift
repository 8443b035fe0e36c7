/// The jobs that wait, the earliest first; of those with one time, the one that was given it first.
///
/// `Work.lock` guards it: all methods are called with it taken.
final class WorkQueue {
  /// Signalled when another job, or an earlier time, has become the first.
  let firstHasChanged = Condition(of: Work.lock)

  // A heap: each entry comes before those at twice its place plus 1 and plus 2. Each job knows its place.
  private var entries: [Entry] = []
  private var nextTurn: UInt64 = 0

  private struct Entry {
    var time: UInt64
    var turn: UInt64
    let work: Work

    func comes(before other: Entry) -> Bool {
      time != other.time ? time < other.time : turn < other.turn
    }
  }

  var count: Int { entries.count }

  /// When the first job is due.
  var firstTime: UInt64? { entries.first?.time }

  /// The number that the next job to be added gets, and all waiting ones are below.
  var turn: UInt64 { nextTurn }

  /// Lets the job run at this time, in the way `WorkScheduler.schedule` says.
  func schedule(_ work: Work, at time: UInt64) {
    guard work.canRun else { return }
    work.belongs(to: self)
    if work.isRunning(andRunsAgainAt: time) { return }
    if let place = work.place {
      guard time < entries[place].time else { return }
      entries[place].time = time
      entries[place].turn = nextTurn
      raise(from: place)
    } else {
      entries.append(Entry(time: time, turn: nextTurn, work: work))
      raise(from: entries.count - 1)
    }
    nextTurn += 1
    if work.place == 0 { firstHasChanged.signal() }
  }

  /// Takes the job out, if it waits.
  func remove(_ work: Work) {
    guard let place = work.place else { return }
    removeEntry(at: place)
    if place == 0 { firstHasChanged.signal() }
  }

  /// Takes out the first job if it is due at this time and was given it before that turn, and begins its run.
  func beginFirst(dueAt time: UInt64, before turn: UInt64 = .max) -> Work? {
    guard let first = entries.first, first.time <= time, first.turn < turn else { return nil }
    removeEntry(at: 0)
    first.work.begin()
    return first.work
  }

  /// Ends a run; what it returns is to be dropped without the lock.
  func end(_ work: Work) -> (@Sendable () -> Void)? {
    let (dropped, time) = work.end()
    if let time { schedule(work, at: time) }
    return dropped
  }

  /// Traps if the order, or a job's place, is not what it should be.
  func checkInvariants() {
    for (place, entry) in entries.enumerated() {
      precondition(entry.work.place == place && entry.work.queue === self && entry.turn < nextTurn)
      precondition(place == 0 || entries[(place - 1) / 2].comes(before: entry))
    }
  }

  private func removeEntry(at place: Int) {
    entries[place].work.place = nil
    let last = entries.removeLast()
    guard place < entries.count else { return }
    entries[place] = last
    raise(from: place)
    if let now = last.work.place { lower(from: now) }
  }

  /// Moves the entry before those that it comes before.
  private func raise(from start: Int) {
    var place = start
    while place > 0, entries[place].comes(before: entries[(place - 1) / 2]) {
      swap(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
    entries[place].work.place = place
  }

  /// Moves the entry behind those that come before it.
  private func lower(from start: Int) {
    var place = start
    while true {
      var first = place
      for child in [2 * place + 1, 2 * place + 2]
      where child < entries.count && entries[child].comes(before: entries[first]) { first = child }
      guard first != place else { return }
      swap(place, first)
      place = first
    }
  }

  private func swap(_ a: Int, _ b: Int) {
    entries.swapAt(a, b)
    entries[a].work.place = a
    entries[b].work.place = b
  }
}
