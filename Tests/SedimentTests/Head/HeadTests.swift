import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

@Suite struct HeadTests {
  private let path = "/store"

  private func newStore() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 1)
    try FileCreation(path: path, on: disk).run()
    return disk
  }

  private func head(_ disk: SimulatedDisk) throws -> Head {
    let file = try disk.openFile(path, .read)
    return try Head.read(from: file)
  }

  private func code(_ disk: SimulatedDisk) -> SedimentError.Code? {
    do {
      _ = try head(disk)
      return nil
    } catch {
      return (error as? SedimentError)?.code
    }
  }

  @Test func `The copy of the higher generation leads`() throws {
    let head = try head(try newStore())
    #expect(head.leading.copy == .second)
    #expect(head.leading.generation == Generation(2))
    #expect(head.other?.generation == Generation(1))
  }

  @Test func `With either copy damaged anywhere the other leads`() throws {
    for byte in stride(from: 0, to: 4096, by: 61) {
      let first = try newStore()
      first.flipBit(byte % 8, ofByte: byte, in: path)
      #expect(try head(first).leading.generation == Generation(2))
      #expect(try head(first).other == nil)
      let second = try newStore()
      second.flipBit(byte % 8, ofByte: 16_384 + byte, in: path)
      #expect(try head(second).leading.generation == Generation(1))
      #expect(try head(second).other == nil)
    }
  }

  @Test func `With both copies damaged the file is damaged, not foreign`() throws {
    let disk = try newStore()
    disk.flipBit(0, ofByte: 100, in: path)
    disk.flipBit(0, ofByte: 16_384 + 100, in: path)
    #expect(code(disk) == .damaged)
  }

  @Test func `A file without the magic is foreign, also an empty one`() throws {
    for bytes in [[], [0x53], [UInt8](repeating: 0, count: 100_000), Array("SQLite format 3".utf8)] {
      let disk = SimulatedDisk(seed: 1)
      disk.install(bytes, at: path)
      #expect(code(disk) == .foreign)
    }
  }

  @Test func `A file cut within its first superblock is damaged from its magic on`() throws {
    for length in [8, 11, 12, 13, 100, 4095] {
      let disk = try newStore()
      disk.cut(path, to: length)
      #expect(code(disk) == .damaged, "length \(length)")
    }
    let disk = try newStore()
    disk.cut(path, to: 7)
    #expect(code(disk) == .foreign)
  }

  @Test func `A newer file is said to be newer, whichever copy says it, and never damaged`() throws {
    let file = try newStore().openFile(path, .read)
    let sound = try Head.read(from: file)
    for copy in Superblock.Copy.allCases {
      var newer = sound.leading
      newer.copy = copy
      newer.features.neededToRead = 2
      let disk = try newStore()
      disk.overwrite(newer.encode(), at: Int(copy.byteOffset), in: path)
      #expect(code(disk) == .newer)
      // With the other copy unreadable too it is still newer.
      disk.zeroSector(Int(copy.other.byteOffset) / 512, in: path)
      #expect(code(disk) == .newer)
    }
  }

  @Test func `Copies of two files, or two of one generation, contradict each other`() throws {
    let sound = try head(try newStore())
    var other = try #require(sound.other)
    other.generation = sound.leading.generation
    let same = try newStore()
    same.overwrite(other.encode(), at: 0, in: path)
    #expect(code(same) == .damaged)
    other.generation = .first
    other.lineage.low ^= 1
    let forked = try newStore()
    forked.overwrite(other.encode(), at: 0, in: path)
    #expect(code(forked) == .damaged)
    other.lineage.low ^= 1
    other.identity = try #require(FileIdentity(low: 1, high: 2))
    let mixed = try newStore()
    mixed.overwrite(other.encode(), at: 0, in: path)
    #expect(code(mixed) == .damaged)
  }

  @Test func `A sector that cannot be read is an error of the system`() throws {
    let disk = try newStore()
    disk.makeUnreadable(16_384..<16_896, in: path)
    #expect(code(disk) == .inputOutput)
  }
}
