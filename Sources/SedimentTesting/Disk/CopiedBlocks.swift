/// The blocks of a file system that copies on write, between two syncs.
struct CopiedBlocks: Sendable {
  /// The blocks of each file that were written since the last sync, which need no other copy.
  private var fresh: [Int: BlockSet] = [:]
  /// How many blocks that the last sync had in use are kept, though no file has them any more.
  private(set) var keptCount = 0

  /// Whether writing a block of a file takes another block.
  func needsCopy(_ block: Int, of file: Int) -> Bool {
    !(fresh[file]?.contains(block) ?? false)
  }

  /// Notes that blocks are written, of which the file had some before.
  mutating func write(_ blocks: Range<Int>, of file: Int, before: BlockSet) {
    for block in blocks where before.contains(block) && needsCopy(block, of: file) { keptCount += 1 }
    fresh[file, default: BlockSet()].insert(blocks)
  }

  /// Notes that a file gives back all blocks that it has not any more.
  mutating func free(of file: Int, before: BlockSet, after: BlockSet, within blocks: Range<Int>) {
    for block in blocks where before.contains(block) && !after.contains(block) {
      if needsCopy(block, of: file) { keptCount += 1 }
      fresh[file]?.remove(block..<block + 1)
    }
  }

  /// Notes that a file is gone.
  mutating func forget(_ file: Int) { fresh[file] = nil }

  /// Gives back what was kept, as a sync does.
  mutating func settle() { self = CopiedBlocks() }
}
