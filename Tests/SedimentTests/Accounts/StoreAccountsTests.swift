import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// The accounts of slots and counts, made anew.
struct StoreAccountsTests {
  private static func findings(
    _ claims: [Range<UInt32>], before end: UInt32 = 10, withoutOwner expected: Int = 0
  ) -> [String] {
    var all = SlotClaims()
    for (number, claim) in claims.enumerated() { all.claim(claim, by: "owner \(number)") }
    return all.findings(before: end, withoutOwner: expected)
  }

  @Test func `Slots of which each has one owner are no finding, in any order`() {
    #expect(Self.findings([0..<2, 2..<5, 5..<5, 5..<10]) == [])
    #expect(Self.findings([5..<10, 0..<2, 2..<5]) == [])
    #expect(Self.findings([0..<2, 4..<10], withoutOwner: 2) == [])
    #expect(Self.findings([], before: 0) == [])
  }

  @Test func `Slots of nobody, of two owners and behind the end are told`() {
    #expect(
      Self.findings([0..<2, 4..<9]) == [
        "3 slots belong to nobody, and 0 are on their way: slots 2..<4, slots 9..<10"
      ])
    #expect(Self.findings([0..<10], withoutOwner: 1) == ["0 slots belong to nobody, and 1 are on their way"])
    #expect(Self.findings([0..<6, 4..<10]) == ["slots 4..<6 belong to owner 0 and to owner 1"])
    #expect(
      Self.findings([0..<10, 2..<3, 5..<6]) == [
        "slots 2..<3 belong to owner 0 and to owner 1", "slots 5..<6 belong to owner 0 and to owner 2",
      ])
    #expect(Self.findings([0..<12]) == ["slots 0..<12 of owner 0 lie behind the file's end, slot 10"])
  }

  @Test(arguments: accesses, [SedimentCompression.off, .zstd(level: 1)])
  func `The accounts of a store are right after changes of all kinds and openings of all kinds`(
    access: SedimentOptions.Access, compression: SedimentCompression
  ) throws {
    let fixture = try StoreFixture(access, compression: compression)
    for round in 0..<6 {
      let users = try fixture.store.collection("users")
      for number in 0..<60 {
        try users.set(pattern(200 + number * 90, number), forKey: "\(number % 40)")
        try fixture.store.set(
          "value", forKey: "\(number)", expiry: number % 2 == 0 ? .never : .after(.seconds(5)))
      }
      for number in 0..<4 { try users.set(pattern(140_000, number), forKey: "\(number * 2)") }
      for number in 0..<20 { try fixture.store.remove(forKey: "\(number * 3)") }
      #expect(fixture.store.accountFindings() == [])
      if round % 2 == 0 { try users.removeAll() }
      if round == 3 { try fixture.store.removeEverything() }
      #expect(fixture.store.accountFindings() == [])
      if round % 3 == 1 { fixture.scheduler.advance(by: 1_000_000_000) }
      if round == 4 { #expect(try fixture.store.storeIndex()) }
      if round % 3 == 2 { try fixture.store.compact() }
      #expect(fixture.store.accountFindings() == [])
      try fixture.reopen()
      #expect(fixture.store.accountFindings() == [])
    }
  }

  @Test func `Of a store that is closed or only read nothing is told`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "key")
    let store = fixture.store
    try fixture.close()
    #expect(store.accountFindings() == [])
    let reader = try fixture.another { $0.readOnly = true }
    #expect(reader.accountFindings() == [])
  }
}
