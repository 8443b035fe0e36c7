internal import SedimentDisk
internal import SedimentFormat

/// A store that a call fills under the temporary name of a new file, before anybody else can open it.
struct NewStore {
  let new: NewFile
  let disk: any Disk

  /// Creates the store, fills it and closes it; what a failure leaves, the new file removes.
  func fill(_ body: (SedimentStore) throws -> Void) throws {
    // As a backup, it goes into a directory that is there.
    try FileCreation(path: new.temporaryPath, makesDirectories: false, on: disk).run()
    // What is not done in the background the writer does itself; nobody else uses the store.
    let store = try SedimentStore(
      path: new.temporaryPath, options: SedimentOptions(durability: .unsynced, mustExist: true), disk: disk,
      scheduler: ManualScheduler())
    do {
      try body(store)
      try store.close()
    } catch {
      try? store.close()
      throw error
    }
  }

  /// Notes in the head of the closed store what it came from, and syncs it.
  func note(parent: Superblock, after sequence: SequenceNumber?) throws(SedimentError) {
    let file = try disk.openFile(new.temporaryPath, .readWrite)
    defer { try? file.close() }
    let head = try Head.read(from: file)
    guard let other = head.other else {
      throw .damaged("a superblock that was written just now is not there", path: file.path, offset: 0)
    }
    // They must say the same.
    for var block in [head.leading, other] {
      block.lineage.parentLow = parent.lineage.low
      block.lineage.parentHigh = parent.lineage.high
      block.lineage.fork = sequence ?? .zero
      try file.write(block.encode(), at: block.copy.byteOffset)
    }
    try file.sync()
  }
}
