/// What a store's processes have done, as far as a crash lets it be known: each change by its number.
package struct DevicePast: Equatable, Sendable {
  /// Whether the file must be there.
  package var isCreated = false
  /// Changes that must be there.
  package private(set) var fixed: [Int] = []
  /// Changes after them, of which the first ones may be there, any number of them.
  package private(set) var tail: [Int] = []

  /// The changes that a backup has beside the store; nil if there need be none.
  package private(set) var copied: [Int]?

  package init() {}

  /// The number after all that were used.
  package private(set) var next = 1

  /// Notes that a change begins.
  package mutating func begin(_ number: Int) {
    tail.append(number)
    next = max(next, number + 1)
  }

  /// Notes that the last change was refused, and so did nothing.
  package mutating func refuse(_ number: Int) {
    tail.removeAll { $0 == number }
  }

  /// Notes that everything up to here outlives a crash.
  package mutating func fix() {
    isCreated = true
    fixed += tail
    tail = []
  }

  /// Notes that a backup of this moment is there, or that the last one is about to go.
  package mutating func copy(_ isThere: Bool) {
    copied = isThere ? fixed + tail : nil
  }

  /// Notes that the store was found with so many of the uncertain changes.
  package mutating func find(_ count: Int) {
    tail.removeLast(tail.count - count)
    fix()
  }
}

// MARK: As an argument

extension DevicePast {
  package var argument: String {
    let parts = [Self.text(fixed), Self.text(tail), copied.map(Self.text) ?? Self.nothing]
    return "\(isCreated ? "created" : "new"):\(next):\(parts.joined(separator: ":"))"
  }

  package init?(_ argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 5, let next = Int(parts[1]), let fixed = Self.numbers(parts[2]),
      let tail = Self.numbers(parts[3])
    else { return nil }
    copied = parts[4] == Self.nothing ? nil : Self.numbers(parts[4])
    (isCreated, self.next, self.fixed, self.tail) = (parts[0] == "created", next, fixed, tail)
  }

  private static let nothing = "nothing"

  /// Runs of numbers, as `1-5,8`.
  private static func text(_ numbers: [Int]) -> String {
    var runs: [ClosedRange<Int>] = []
    for number in numbers {
      if let last = runs.last, last.upperBound + 1 == number {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
    return runs.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
  }

  private static func numbers(_ text: some StringProtocol) -> [Int]? {
    var numbers: [Int] = []
    for run in text.split(separator: ",") {
      let ends = run.split(separator: "-").compactMap { Int($0) }
      guard ends.count == 2, ends[0] <= ends[1] else { return nil }
      numbers += ends[0]...ends[1]
    }
    return numbers
  }
}
