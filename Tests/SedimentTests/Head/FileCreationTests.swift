import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

@Suite struct FileCreationTests {
  private let path = "/stores/cities.sediment"

  private func create(on disk: SimulatedDisk) throws(SedimentError) {
    try FileCreation(path: path, on: disk).run()
  }

  /// Whether the file is a complete empty store, closed and durable to its last byte.
  private func isEmptyStore(_ disk: SimulatedDisk) throws -> Bool {
    let inspection = try FileInspection.inspect(path: path, on: disk)
    guard inspection.head.other != nil, inspection.head.leading.state == .closed,
      inspection.head.leading.generation == Generation(2), inspection.byteCount == 3 * 16_384,
      inspection.segments.count == 1, inspection.segments[0].records.count == 1,
      case .checkpointPart(let part)? = inspection.segments[0].records[0].control,
      case .numbers(let numbers) = part.entries[0], case .segment(let tail) = part.entries[1]
    else { return false }
    return part.entries.count == 2 && numbers.nextGeneration == Generation(2)
      && tail.identity == inspection.segments[0].header.identity
      && inspection.head.watermark.offset.byteOffset
        == inspection.segments[0].records[0].offset.byteOffset
        + UInt64(inspection.segments[0].records[0].header.byteCount)
  }

  @Test func `A new file is a closed empty store, and nothing else is left beside it`() throws {
    let disk = SimulatedDisk(seed: 1)
    try create(on: disk)
    #expect(try isEmptyStore(disk))
    #expect(disk.paths == [path])
  }

  @Test func `Two files made one after the other share no identity, salt or lineage`() throws {
    let disk = SimulatedDisk(seed: 2)
    try FileCreation(path: "/a", on: disk).run()
    try FileCreation(path: "/b", on: disk).run()
    let first = try FileInspection.inspect(path: "/a", on: disk)
    let second = try FileInspection.inspect(path: "/b", on: disk)
    #expect(first.head.leading.identity != second.head.leading.identity)
    #expect(first.head.leading.lineage != second.head.leading.lineage)
    #expect(first.segments[0].header.identity.salt != second.segments[0].header.identity.salt)
  }

  @Test func `After a power failure at any moment there is no file of that name or all of it`() throws {
    let disk = SimulatedDisk(seed: 3)
    try create(on: disk)
    var imageCount = 0
    var completeCount = 0
    for state in disk.history {
      for choice in state.plans(seed: 3) {
        let image = state.afterPowerLoss(choice)
        imageCount += 1
        guard image.contents(of: path) != nil else { continue }
        completeCount += 1
        #expect(try isEmptyStore(image), "point \(state.point), \(choice)")
      }
    }
    #expect(imageCount > 1000)
    #expect(completeCount > 0 && completeCount < imageCount)
  }

  @Test func `After a power failure at any moment a file that was empty is still so, or is all of a store`()
    throws
  {
    let disk = SimulatedDisk(seed: 7)
    disk.install([], at: path)
    try SedimentStore(path: path, disk: disk).close()
    var completeCount = 0
    var imageCount = 0
    for state in disk.history {
      for choice in state.plans(seed: 7) {
        let image = state.afterPowerLoss(choice)
        imageCount += 1
        let store = image.contents(of: path) == [] ? nil : try SedimentStore(path: path, disk: image)
        if let store {
          completeCount += 1
          #expect(try store.count() == 0, "point \(state.point), \(choice)")
        }
        try store?.close()
      }
    }
    #expect(completeCount > 0 && completeCount < imageCount)
  }

  @Test func `What takes the place of an empty file, or is written to it, stays`() throws {
    for isReplaced in [false, true] {
      let inner = SimulatedDisk(seed: 8)
      inner.install([], at: path)
      let disk = ChangingDisk(inner) { [path] in
        if isReplaced { return inner.install([1, 2, 3], at: path) }
        let file = try? inner.open(path, .readWrite)
        unsafe try? file?.write([UInt8]([1, 2, 3]).span.bytes, at: 0)
      }
      #expect(code { _ = try SedimentStore(path: path, disk: disk) } == .foreign)
      #expect(inner.contents(of: path) == [1, 2, 3])
      #expect(inner.paths == [path])
    }
  }

  @Test func `Once it has returned no power failure can take the file away`() throws {
    let disk = SimulatedDisk(seed: 4)
    try create(on: disk)
    let state = disk.crashState
    #expect(state.units.isEmpty)
    #expect(try isEmptyStore(disk.afterPowerLoss(.nothing)))
  }

  @Test func `An existing file is left as it is, and the error says so`() throws {
    let disk = SimulatedDisk(seed: 5)
    disk.install([1, 2, 3], at: path)
    let error = #expect(throws: SedimentError.self) { try create(on: disk) }
    #expect(error?.code == .exists)
    #expect(error?.path == path)
    #expect(disk.contents(of: path) == [1, 2, 3])
    #expect(disk.paths == [path])
  }

  @Test(arguments: [SystemErrorCode.noSpace, .inputOutput, .quotaExceeded, .tooManyOpenFiles])
  func `Whichever call fails, the error is told and no half file has the name`(code: SystemErrorCode) throws {
    let whole = SimulatedDisk(seed: 6)
    try create(on: whole)
    for index in 0..<whole.callCount {
      let disk = SimulatedDisk(seed: 6)
      disk.inject(.error(code), atCall: index)
      let error = #expect(throws: SedimentError.self, "call \(index)") { try create(on: disk) }
      #expect(error?.systemError?.code == code, "call \(index)")
      #expect(error?.path == path, "call \(index)")
      #expect(error?.code == (code.isOutOfSpace ? .outOfSpace : .inputOutput), "call \(index)")
      if disk.contents(of: path) != nil {
        #expect(try isEmptyStore(disk), "call \(index)")
      } else {
        #expect(disk.paths.isEmpty, "call \(index) left a temporary file")
      }
    }
  }

  @Test func `The temporary name is a hidden one in the same directory`() {
    #expect(FileCreation.temporaryPath(for: "/a/b.store", number: 0x1f) == "/a/.b.store.new-000000000000001f")
    #expect(FileCreation.temporaryPath(for: "b", number: .max) == ".b.new-ffffffffffffffff")
    // A long name gives only its beginning, so that the hidden one is taken wherever it is.
    for (name, count) in [("n", 250), ("é", 125), ("\u{1F600}", 63), ("n", 100), ("n", 101), ("n", 255)] {
      let path = "/a/" + String(repeating: name, count: count)
      let hidden = FileCreation.temporaryPath(for: path, number: 1)
      #expect(hidden.hasPrefix("/a/.\(name)"))
      #expect(hidden.hasSuffix(".new-0000000000000001"))
      #expect(hidden.utf8.count <= max(path.utf8.count, 125))
    }
  }

  @Test func `What is synced in a file stays, though its creator died before its name was on the disk`()
    throws
  {
    let created = SimulatedDisk(seed: 1)
    try SedimentStore(path: path, disk: created).close()
    for state in created.history {
      let disk = state.afterProcessDeath()
      let store = try SedimentStore(path: path, disk: disk)
      try store.set("1", forKey: "a", durability: .synced)
      let image = disk.afterPowerLoss(.nothing)
      #expect(image.paths.contains(path), "death at \(state.point)")
      #expect(try SedimentStore(path: path, disk: image).contains("a"))
    }
    // Whoever created the file has its name synced already, and so has whoever follows the first write.
    #expect(created.calls.count { $0.operation == .syncDirectory } == 1)
    for count in [1, 1] {
      let store = try SedimentStore(path: path, disk: created)
      try store.set("1", forKey: "a")
      try store.close()
      #expect(created.calls.count { $0.operation == .syncDirectory } == 1 + count)
    }
  }
}

/// A disk on which another process changes something while a new file is built.
private final class ChangingDisk: ForwardingDisk, @unchecked Sendable {
  private let change: @Sendable () -> Void

  init(_ inner: SimulatedDisk, _ change: @escaping @Sendable () -> Void) {
    self.change = change
    super.init(inner)
  }

  override func file(_ file: any DiskFile) -> any DiskFile {
    if file.path.contains(".new-") { change() }
    return file
  }
}
