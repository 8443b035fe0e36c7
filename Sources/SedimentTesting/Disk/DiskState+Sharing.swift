internal import SedimentDisk

extension DiskState {
  mutating func lock(
    _ handle: Int, _ path: String, _ range: Range<UInt64>, _ mode: LockMode
  ) throws(DiskError) -> Bool {
    try perform(.lock, path, offset: range.lowerBound) { (state, _) throws(CallFailure) in
      let number = try state.inodeNumber(ofOpenFile: handle, writing: mode == .exclusive)
      guard try Self.isLockable(range) else { return true }
      let isTaken = state[inode: number].locks.lock(range, mode, owner: handle)
      if !isTaken, state.options.refusals.contains(.secondLocks) { throw CallFailure(.notSupported) }
      return isTaken
    }
  }

  mutating func unlock(_ handle: Int, _ path: String, _ range: Range<UInt64>) throws(DiskError) {
    try perform(.lock, path, offset: range.lowerBound) { (state, _) throws(CallFailure) in
      let number = try state.inodeNumber(ofOpenFile: handle)
      guard try Self.isLockable(range) else { return }
      state[inode: number].locks.unlock(range, owner: handle)
    }
  }

  /// Copies a file's bytes to a new one; what is a hole stays one.
  mutating func clone(_ handle: Int, _ path: String, to destination: String) throws(DiskError) {
    try perform(.clone, path) { (state, _) throws(CallFailure) in
      let number = try state.inodeNumber(ofOpenFile: handle)
      guard state.options.traits.clones else { throw CallFailure(.notSupported) }
      guard state.names[destination] == nil else { throw CallFailure(.exists) }
      let source = state[inode: number]
      guard source.blocks.count <= state.freeBlockCount else { throw CallFailure(.noSpace) }
      let copy = try state.createFile(destination)
      for block in 0..<Geometry.blockCount(for: source.byteCount) where source.blocks.contains(block) {
        let range = Geometry.bytes(of: block..<block + 1).clamped(to: 0..<source.byteCount)
        unsafe source.cache.bytes(in: range).withUnsafeBytes { bytes in
          unsafe state.put(bytes, at: range.lowerBound, copy, .whole)
        }
      }
      if source.byteCount > state[inode: copy].byteCount {
        state[inode: copy].byteCount = source.byteCount
        state.journal.append(.resize(file: copy, byteCount: source.byteCount))
      }
    }
  }

  mutating func close(_ handle: Int, _ path: String) throws(DiskError) {
    // Whatever the call reports, the descriptor is gone, as on a real system.
    defer { forget(openFile: handle) }
    try perform(.close, path) { (_, _) throws(CallFailure) in }
  }

  /// Whether there is anything in the range.
  private static func isLockable(_ range: Range<UInt64>) throws(CallFailure) -> Bool {
    guard range.upperBound <= UInt64(Int64.max) else { throw CallFailure(.invalidArgument) }
    return !range.isEmpty
  }
}
