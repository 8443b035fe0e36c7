import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// A file whose head and the first bytes behind the end are of a closed store, and whose rest is younger: no crash leads
/// to one, but a copy of a file in use may be one.
struct MixedMomentsTests {
  private static let path = StoreFixture.path

  private static func open(_ disk: SimulatedDisk, readOnly: Bool = false) throws -> SedimentStore {
    var options = SedimentOptions(durability: .unsynced, access: .unmapped, compression: .off)
    options.readOnly = readOnly
    return try SedimentStore(path: path, options: options, disk: disk, scheduler: ManualScheduler())
  }

  private static func mixed() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 4)
    var store = try open(disk)
    for number in 0..<10 { try store.set("before", forKey: "key \(number)") }
    try store.close()
    let closed = try #require(disk.contents(of: path))
    store = try open(disk)
    for number in 0..<200 { try store.set("behind", forKey: "key \(number)", durability: .synced) }
    var contents = try #require(disk.contents(of: path))
    let first = try #require((32_768..<closed.count).first { closed[$0] != contents[$0] })
    let end = (first / 4_096 + 1) * 4_096
    contents.replaceSubrange(0..<end, with: closed[0..<end])
    let copy = SimulatedDisk(seed: 5)
    copy.install(contents, at: path)
    return copy
  }

  @Test func `It can be read as it was closed, and every change is refused before anything is written`()
    throws
  {
    let disk = try Self.mixed()
    let before = disk.contents(of: Self.path)
    let store = try Self.open(disk)
    #expect(store.recovery.wasClosed)
    #expect(try store.count() == 10)
    for _ in 0..<3 {
      #expect { try store.set("new", forKey: "key 5", durability: .synced) } throws: {
        ($0 as? SedimentError)?.code == .damaged
      }
      #expect { try store.removeAll() } throws: { ($0 as? SedimentError)?.code == .damaged }
    }
    #expect(try store.retrieve(forKey: "key 5", as: String.self) == "before")
    #expect(try store.retrieve(forKey: "key 50", as: String.self) == nil)
    try store.close()
    // The owner's note lies between the superblocks.
    #expect(disk.contents(of: Self.path)?[8_192...] == before?[8_192...])
    #expect(disk.contents(of: Self.path)?[..<4_096] == before?[..<4_096])
  }

  @Test func `A closed store goes on as ever`() throws {
    let disk = SimulatedDisk(seed: 4)
    for round in 0..<3 {
      let store = try Self.open(disk)
      for number in 0..<100 { try store.set("\(round)", forKey: "key \(number)", durability: .synced) }
      try store.close()
    }
    #expect(try Self.open(disk, readOnly: true).retrieve(forKey: "key 7", as: String.self) == "2")
  }
}
