import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// What a store that is opened for writing takes on the disk where its file claims more slots than it has.
struct HostileRoomTests {
  /// What an opening and a change may take beside what the file has.
  private static let byteCountMax: UInt64 = 2 << 20

  /// Opens a store and changes it; it takes next to nothing, and is as it was when it is opened again.
  private func expectLittleRoom(_ disk: SimulatedDisk, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let before = disk.usedByteCount
    func open() throws -> SedimentStore {
      try SedimentStore(
        path: LogBuilder.path, options: SedimentOptions(mustExist: true), disk: disk,
        scheduler: ManualScheduler())
    }
    let store = try open()
    try store.set("another", forKey: "new", durability: .synced)
    #expect(disk.usedByteCount <= before + Self.byteCountMax, sourceLocation: sourceLocation)
    try store.close()
    let again = try open()
    #expect(try again.retrieve(forKey: "key", as: String.self) == "value", sourceLocation: sourceLocation)
    #expect(try again.retrieve(forKey: "new", as: String.self) == "another", sourceLocation: sourceLocation)
    try again.close()
  }

  @Test func `A part of a stored index far behind the end of the file takes no blocks`() throws {
    var log = try LogBuilder(fileSlotCount: 8)
    try log.open()
    try log.put("key", "value")
    let position = log.position
    let far = log.newSegment(.index, slot: 3_000)
    let part = try #require(
      IndexPartEntry(
        partitions: 0..<1, of: 1, pageCount: 1, segment: far, checksum: .empty, replayFrom: position,
        generationLimit: far.generation, entryCount: 0, keyHash: KeyHash(low: 1, high: 2), build: 1))
    try log.change([.indexPart(part)])
    try log.close()
    try expectLittleRoom(log.durable())
  }

  @Test func `The last segment of the log takes no blocks for what only it claims`() throws {
    var log = try LogBuilder(slotCount: 3_000, fileSlotCount: 8)
    try log.open()
    try log.put("key", "value")
    try log.close()
    try expectLittleRoom(log.durable())
  }
}
