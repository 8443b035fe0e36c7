import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// A file with a feature that this version does not know, bit by bit of the three words: chapter 11 of the design.
struct UnknownFeatureTests {
  private enum Word: CaseIterable { case neededToRead, neededToWrite, ignorable }

  /// A kept file, both of whose superblocks have a further bit.
  private func disk(_ word: Word, _ bit: Int) throws -> SimulatedDisk {
    let kept = try #require(KeptFile.all.first { $0.name == "plain" })
    let disk = try kept.disk(at: BareStore.path)
    let file = try disk.openFile(BareStore.path, .read)
    let head = try Head.read(from: file)
    try file.close()
    for copy in [head.leading, try #require(head.other)] {
      var block = copy
      switch word {
      case .neededToRead: block.features.neededToRead |= 1 << UInt64(bit)
      case .neededToWrite: block.features.neededToWrite |= 1 << UInt64(bit)
      case .ignorable: block.features.ignorable |= 1 << UInt64(bit)
      }
      disk.overwrite(block.encode(), at: Int(block.copy.byteOffset), in: BareStore.path)
    }
    return disk
  }

  private func code(_ body: () throws -> Void) -> SedimentError.Code? {
    do { try body() } catch { return (error as? SedimentError)?.code }
    return nil
  }

  /// Whether a file can be opened, read and closed.
  private func failure(_ disk: SimulatedDisk, readOnly: Bool = false) -> SedimentError.Code? {
    code {
      let store = try BareStore.open(disk, SedimentOptions(durability: .unsynced, readOnly: readOnly))
      #expect(try store.retrieve(forKey: "name") == nil)
      #expect(try store.retrieve(forKey: "key 1", as: String.self) == "value 1")
      if !readOnly { try store.set("changed", forKey: "key 1") }
      try store.close()
    }
  }

  @Test(arguments: 0..<64)
  func `A file that a reader must know a bit of is refused by all, and left as it is`(bit: Int) throws {
    let disk = try disk(.neededToRead, bit)
    let bytes = disk.contents(of: BareStore.path)
    let isKnown = Features.known.neededToRead & 1 << UInt64(bit) != 0
    let expected = isKnown ? nil : SedimentError.Code.newer
    #expect(failure(disk, readOnly: true) == expected)
    #expect(code { _ = try SedimentStore.verify(path: BareStore.path, on: disk) } == expected)
    #expect(
      code { _ = try SedimentStore.salvage(from: BareStore.path, to: "/saved", on: disk) } == expected)
    if !isKnown { #expect(disk.contents(of: "/saved") == nil) }
    let isUntouched = disk.contents(of: BareStore.path) == bytes
    #expect(isUntouched)
    #expect(failure(disk) == expected)
    let isLeft = disk.contents(of: BareStore.path) == bytes
    #expect(isLeft == !isKnown)
  }

  @Test(arguments: 0..<64)
  func `A file that a writer must know a bit of is read alone`(bit: Int) throws {
    let disk = try disk(.neededToWrite, bit)
    let bytes = disk.contents(of: BareStore.path)
    #expect(failure(disk, readOnly: true) == nil)
    #expect(try SedimentStore.verify(path: BareStore.path, on: disk).isIntact)
    #expect(failure(disk) == .newer)
    let isUntouched = disk.contents(of: BareStore.path) == bytes
    #expect(isUntouched)
  }

  @Test(arguments: 0..<64)
  func `A bit that may be ignored is`(bit: Int) throws {
    let disk = try disk(.ignorable, bit)
    #expect(failure(disk, readOnly: true) == nil)
    #expect(failure(disk) == nil)
    #expect(try SedimentStore.verify(path: BareStore.path, on: disk).isIntact)
  }
}
