internal import SedimentDisk

extension DiskState {
  mutating func allocatedByteCount(_ handle: Int, _ path: String) throws(DiskError) -> UInt64 {
    try perform(.byteCount, path) { (state, _) throws(CallFailure) in
      let blocks = state[inode: try state.inodeNumber(ofOpenFile: handle)].blocks
      return UInt64(blocks.count) * UInt64(Geometry.blockByteCount)
    }
  }

  mutating func allocate(_ handle: Int, _ path: String, _ range: Range<UInt64>) throws(DiskError) {
    try perform(.allocate, path, offset: range.lowerBound) { (state, _) throws(CallFailure) in
      let number = try state.inodeNumber(ofOpenFile: handle, writing: true)
      guard range.upperBound <= UInt64(Int64.max) else { throw CallFailure(.invalidArgument) }
      if range.isEmpty { return }
      let range = try state.checked(range)
      if state.options.traits.allocatesBlocks {
        let blocks = Geometry.blocks(touching: range)
        guard state[inode: number].blocks.missingCount(in: blocks) <= state.freeBlockCount else {
          throw CallFailure(.noSpace)
        }
        state.insert(blocks, number)
        state.journal.append(.allocate(file: number, blocks: blocks))
      }
      if range.upperBound > state[inode: number].byteCount {
        state[inode: number].byteCount = range.upperBound
        state.journal.append(.resize(file: number, byteCount: range.upperBound))
      }
    }
  }

  /// Frees the blocks that lie wholly in the range, and zeroes the bytes at its edges as a write would.
  mutating func punchHole(_ handle: Int, _ path: String, _ range: Range<UInt64>) throws(DiskError) {
    try perform(.punchHole, path, offset: range.lowerBound) { (state, _) throws(CallFailure) in
      let number = try state.inodeNumber(ofOpenFile: handle, writing: true)
      guard range.upperBound <= UInt64(Int64.max) else { throw CallFailure(.invalidArgument) }
      guard state.options.traits.punchesHoles else { throw CallFailure(.notSupported) }
      let end = UInt64(state[inode: number].byteCount)
      let clamped = range.clamped(to: 0..<end)
      guard !clamped.isEmpty else { return }
      let bytes = Int(clamped.lowerBound)..<Int(clamped.upperBound)
      let blocks = Geometry.blocks(within: bytes)
      let inside = Geometry.bytes(of: blocks)
      if blocks.isEmpty {
        state.zeroAllocated(bytes, number)
      } else {
        state.zeroAllocated(bytes.lowerBound..<inside.lowerBound, number)
        state.zeroAllocated(inside.upperBound..<bytes.upperBound, number)
        state.removeBlocks(number) { $0.remove(blocks) }
        state[inode: number].cache.zero(inside)
        state.journal.append(.punch(file: number, blocks: blocks))
      }
    }
  }

  /// The first run of blocks with space from an offset on, as far as the file reaches.
  mutating func dataRange(
    _ handle: Int, _ path: String, from offset: UInt64
  ) throws(DiskError) -> Range<UInt64>? {
    try perform(.findData, path, offset: offset) { (state, _) throws(CallFailure) in
      let inode = state[inode: try state.inodeNumber(ofOpenFile: handle)]
      guard offset < UInt64(inode.byteCount) else { return nil }
      let blocks = Int(offset) / Geometry.blockByteCount..<Geometry.blockCount(for: inode.byteCount)
      guard let run = inode.blocks.firstRun(in: blocks) else { return nil }
      let bytes = Geometry.bytes(of: run)
      return max(UInt64(bytes.lowerBound), offset)..<UInt64(min(bytes.upperBound, inode.byteCount))
    }
  }

  mutating func truncate(_ handle: Int, _ path: String, to byteCount: UInt64) throws(DiskError) {
    try perform(.truncate, path, offset: byteCount) { (state, _) throws(CallFailure) in
      let number = try state.inodeNumber(ofOpenFile: handle, writing: true)
      guard byteCount <= UInt64(Int64.max) else { throw CallFailure(.invalidArgument) }
      guard byteCount <= UInt64(state.options.fileByteCountMax) else { throw CallFailure(.fileTooLarge) }
      let new = Int(byteCount)
      let old = state[inode: number].byteCount
      guard new != old else { return }
      if new < old { state.shorten(number, to: new) }
      state[inode: number].byteCount = new
      state.journal.append(.resize(file: number, byteCount: new))
    }
  }

  /// Zeroes what lies beyond the new end and frees its blocks.
  mutating func shorten(_ number: Int, to byteCount: Int) {
    let old = self[inode: number].byteCount
    let cache = self[inode: number].cache
    cache.zero(byteCount..<max(old, byteCount))
    // What lies in whole pages beyond the end can be touched no more until it is exposed again.
    let end = (byteCount + options.pageByteCount - 1) & -options.pageByteCount
    if end < old, mappings.values.contains(where: { $0.inode == number }) {
      cache.conceal(end..<Geometry.bytes(of: Geometry.blocks(touching: 0..<old)).upperBound)
    }
    removeBlocks(number) { $0.removeAll(from: Geometry.blockCount(for: byteCount)) }
    self[inode: number].byteCount = byteCount
  }

  mutating func insert(_ blocks: Range<Int>, _ number: Int) {
    let before = self[inode: number].blocks.count
    self[inode: number].blocks.insert(blocks)
    usedBlockCount += self[inode: number].blocks.count - before
  }

  private mutating func removeBlocks(_ number: Int, _ change: (inout BlockSet) -> Void) {
    let before = self[inode: number].blocks
    change(&self[inode: number].blocks)
    let after = self[inode: number].blocks
    usedBlockCount += after.count - before.count
    guard options.copiesOnWrite else { return }
    let end = Geometry.blockCount(for: options.fileByteCountMax)
    copies.free(of: number, before: before, after: after, within: 0..<end)
  }

  /// Writes zeros into a part of one block, unless it is a hole, which reads as zeros already.
  private mutating func zeroAllocated(_ range: Range<Int>, _ number: Int) {
    for block in Geometry.blocks(touching: range) where self[inode: number].blocks.contains(block) {
      let part = range.clamped(to: Geometry.bytes(of: block..<block + 1))
      unsafe [UInt8](repeating: 0, count: part.count).withUnsafeBytes { source in
        unsafe put(source, at: part.lowerBound, number, .whole)
      }
    }
  }

  /// A range that lies within the largest file.
  private func checked(_ range: Range<UInt64>) throws(CallFailure) -> Range<Int> {
    guard range.upperBound <= UInt64(options.fileByteCountMax) else { throw CallFailure(.fileTooLarge) }
    return Int(range.lowerBound)..<Int(range.upperBound)
  }
}
