/// Numbers of jobs by the time at which each is due, then by number: a binary heap.
struct DueJobs {
  struct Entry: Comparable {
    let dueTime: UInt64
    let number: UInt64

    static func < (left: Entry, right: Entry) -> Bool {
      (left.dueTime, left.number) < (right.dueTime, right.number)
    }
  }

  private var entries: [Entry] = []

  var first: Entry? { entries.first }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var child = entries.count - 1
    while child > 0, entries[child] < entries[(child - 1) / 2] {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes the first entry, of which there must be one.
  mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var parent = 0
    while let child = firstChild(of: parent), entries[child] < entries[parent] {
      entries.swapAt(child, parent)
      parent = child
    }
  }

  private func firstChild(of parent: Int) -> Int? {
    let left = 2 * parent + 1
    let right = left + 1
    guard left < entries.count else { return nil }
    return right < entries.count && entries[right] < entries[left] ? right : left
  }
}
