import SedimentDisk
import SedimentTesting
import Testing

@Suite("What a power failure leaves of sizes, holes, allocations and names")
struct MetadataTests {
  let disk = SimulatedDisk(seed: 1)

  @Test("A file's length and its bytes persist independently")
  func sizeAndData() throws {
    let file = try disk.installed("a", filled(1, 512))
    try file.write(filled(2, 512), at: 512)
    // Without the new length the new sector cannot be seen.
    #expect(
      disk.crashState.images(of: "a") == [
        filled(1, 512), filled(1, 512) + filled(0, 512), filled(1, 512) + filled(2, 512),
      ])
  }

  @Test("The length is one of those the file had")
  func sizes() throws {
    let file = try disk.installed("a", filled(1, 100))
    try file.truncate(to: 300)
    try file.truncate(to: 200)
    #expect(disk.crashState.images(of: "a").map(\.count).sorted() == [100, 200, 300])
  }

  @Test("What a truncation cut off does not come back when the file grows again")
  func shrinkAndGrow() throws {
    let file = try disk.installed("a", filled(1, 1024))
    try file.truncate(to: 100)
    try file.truncate(to: 1024)
    #expect(
      disk.crashState.images(of: "a") == [
        filled(1, 1024), filled(1, 100), filled(1, 100) + filled(0, 924),
      ])
    #expect(disk.contents(of: "a") == filled(1, 100) + filled(0, 924))
  }

  @Test("A write before a truncation is cut with it, one after it is not")
  func writesAroundTruncation() throws {
    let file = try disk.installed("a", filled(0, 1024))
    try file.write(filled(1, 512), at: 512)
    try file.truncate(to: 600)
    try file.truncate(to: 1024)
    try file.write(filled(2, 100), at: 0)
    let all = disk.afterPowerLoss(.everything).contents(of: "a")
    #expect(all == disk.contents(of: "a"))
    #expect(all == filled(2, 100) + filled(0, 412) + filled(1, 88) + filled(0, 424))
    let old = CrashChoice(versions: [0, 0, 1])
    #expect(
      disk.crashState.afterPowerLoss(old).contents(of: "a") == filled(0, 512) + filled(1, 512))
  }

  @Test("A hole persists or not, whatever is written into it later")
  func holes() throws {
    let file = try disk.installed("a", filled(1, 8192))
    try file.punchHole(0..<4096)
    try file.write(filled(2, 512), at: 0)
    let tail = filled(1, 4096)
    let old = filled(1, 3584)
    let zero = filled(0, 3584)
    #expect(
      disk.crashState.images(of: "a") == [
        filled(1, 512) + old + tail, filled(2, 512) + old + tail,
        filled(0, 512) + zero + tail, filled(2, 512) + zero + tail,
      ])
  }

  @Test("A write that came before a hole shows only without it")
  func writeThenHole() throws {
    let file = try disk.installed("a", filled(1, 4096))
    try file.write(filled(2, 512), at: 0)
    try file.punchHole(0..<4096)
    #expect(
      disk.crashState.images(of: "a") == [
        filled(1, 4096), filled(2, 512) + filled(1, 3584), filled(0, 4096),
      ])
  }

  @Test("A partial write after a hole starts from zeros")
  func partialWriteAfterHole() throws {
    let file = try disk.installed("a", filled(1, 4096))
    try file.punchHole(0..<4096)
    try file.write(filled(2, 10), at: 0)
    try file.sync()
    #expect(disk.crashState.images(of: "a") == [filled(2, 10) + filled(0, 4086)])
    #expect(disk.contents(of: "a") == filled(2, 10) + filled(0, 4086))
  }

  @Test("A hole zeroes its edges as writes do, and its whole blocks as a hole")
  func unalignedHole() throws {
    let file = try disk.installed("a", filled(1, 12288))
    try file.punchHole(4000..<9000)
    #expect(disk.contents(of: "a") == filled(1, 4000) + filled(0, 5000) + filled(1, 3288))
    #expect(disk.allocatedByteCount(of: "a") == 8192)
    #expect(disk.crashState.units.map(\.kind) == [.hole(1..<2), .sector(7), .sector(16), .sector(17)])
  }

  @Test("An allocation persists on its own, apart from the length and the bytes")
  func allocations() throws {
    let file = try disk.installed("a", filled(1, 4096))
    try file.allocate(4096..<12288)
    let state = disk.crashState
    #expect(state.units.map(\.kind) == [.byteCount, .allocation(1..<3)])
    let found = Set(
      state.plans(.sectors).map { choice in
        let image = state.afterPowerLoss(choice)
        return [UInt64(image.contents(of: "a")?.count ?? 0), image.allocatedByteCount(of: "a") ?? 0]
      })
    #expect(found == [[4096, 4096], [12288, 4096], [12288, 12288]])
  }

  @Test("A name that was not synced may be missing, and the file with it")
  func creation() throws {
    let file = try disk.open("a", .create)
    try file.write(filled(1, 512), at: 0)
    try file.sync()
    #expect(disk.crashState.images() == [[:], ["a": filled(1, 512)]])
    try disk.syncDirectory(of: "a")
    #expect(disk.crashState.images() == [["a": filled(1, 512)]])
  }

  @Test("A synced name does not make the bytes durable")
  func nameWithoutBytes() throws {
    let file = try disk.open("a", .create)
    try file.write(filled(1, 512), at: 0)
    try disk.syncDirectory(of: "a")
    #expect(disk.crashState.images() == [["a": []], ["a": filled(0, 512)], ["a": filled(1, 512)]])
  }

  @Test("A rename is done or not done, and replaces in one step")
  func renames() throws {
    disk.install([1], at: "old")
    disk.install([2], at: "new")
    try disk.rename("new", to: "old", .replaceExisting)
    #expect(disk.crashState.images() == [["old": [1], "new": [2]], ["old": [2]]])
    try disk.syncDirectory(of: "old")
    #expect(disk.crashState.images() == [["old": [2]]])
  }

  @Test("A file under a temporary name is found under that, its later one, or none")
  func createAndRename() throws {
    let file = try disk.open("d/a.tmp", .create)
    try file.write([1], at: 0)
    try file.sync()
    try disk.rename("d/a.tmp", to: "d/a", .keepExisting)
    #expect(disk.crashState.images() == [[:], ["d/a.tmp": [1]], ["d/a": [1]]])
  }

  @Test("A file never has two names, whichever of its renames persisted")
  func renameChain() throws {
    disk.install([1], at: "a")
    try disk.rename("a", to: "b", .keepExisting)
    try disk.rename("b", to: "c", .keepExisting)
    #expect(disk.crashState.images() == [["a": [1]], ["b": [1]], ["c": [1]]])
  }

  @Test("A removal persists or not, and the bytes with it")
  func removal() throws {
    disk.install([1], at: "a")
    try disk.remove("a")
    #expect(disk.crashState.images() == [["a": [1]], [:]])
    let file = try disk.open("a", .create)
    try file.write([2], at: 0)
    try file.sync()
    #expect(disk.crashState.images() == [["a": [1]], [:], ["a": [2]]])
  }

  @Test("Syncing one directory leaves the others as they were")
  func directories() throws {
    _ = try disk.open("d/a", .create)
    _ = try disk.open("e/b", .create)
    try disk.syncDirectory(of: "d/whatever")
    #expect(disk.crashState.images() == [["d/a": []], ["d/a": [], "e/b": []]])
  }
}
