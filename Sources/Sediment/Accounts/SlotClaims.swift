/// Who claims which slots of a file; each slot is to have just one owner.
package struct SlotClaims {
  private var claims: [(slots: Range<UInt32>, owner: String)] = []

  package init() {}

  /// Notes that slots belong to an owner.
  package mutating func claim(_ slots: Range<UInt32>, by owner: String) {
    if !slots.isEmpty { claims.append((slots, owner)) }
  }

  /// The slots before `end` that have two owners, those that have none, and those behind `end` that have one, in words.
  ///
  /// So many without an owner as are `expected` are no finding.
  package func findings(before end: UInt32, withoutOwner expected: Int) -> [String] {
    var findings: [String] = []
    var free: [Range<UInt32>] = []
    var last = (slots: 0..<UInt32(0), owner: "")
    for claim in claims.sorted(by: { $0.slots.lowerBound < $1.slots.lowerBound }) {
      let next = last.slots.upperBound
      if claim.slots.lowerBound > next { free.append(next..<claim.slots.lowerBound) }
      if claim.slots.lowerBound < next {
        let shared = claim.slots.lowerBound..<min(next, claim.slots.upperBound)
        findings.append("\(Self.words(shared)) belong to \(last.owner) and to \(claim.owner)")
      }
      if claim.slots.upperBound > end {
        findings.append("\(Self.words(claim.slots)) of \(claim.owner) lie behind the file's end, slot \(end)")
      }
      if claim.slots.upperBound > next { last = claim }
    }
    if last.slots.upperBound < end { free.append(last.slots.upperBound..<end) }
    let freeCount = free.reduce(0) { $0 + $1.count }
    if freeCount != expected {
      let places = free.prefix(8).map(Self.words).joined(separator: ", ")
      findings.append(
        "\(freeCount) slots belong to nobody, and \(expected) are on their way\(free.isEmpty ? "" : ": ")\(places)"
      )
    }
    return findings
  }

  private static func words(_ slots: Range<UInt32>) -> String {
    "slots \(slots.lowerBound)..<\(slots.upperBound)"
  }
}
