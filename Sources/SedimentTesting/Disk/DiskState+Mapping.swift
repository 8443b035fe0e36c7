internal import SedimentDisk

extension DiskState {
  /// Reserves a mapping; the result is its number and the file's bytes.
  mutating func reserveMapping(_ handle: Int, _ path: String) throws(DiskError) -> (Int, PageCache) {
    try perform(.map, path) { (state, effect) throws(CallFailure) in
      let number = try state.inodeNumber(ofOpenFile: handle)
      let cache = state[inode: number].cache
      if case .errorAfterwards = effect { return (0, cache) }
      let mapping = state.nextNumber()
      let isWritable = state.openFiles[handle]?.isWritable ?? false
      state.mappings[mapping] = OpenMapping(
        inode: number, handle: handle, path: path, isWritable: isWritable)
      state[inode: number].holderCount += 1
      return (mapping, cache)
    }
  }

  /// Changes what a range may be used for; nil access where it is only populated.
  mutating func expose(
    _ mapping: Int, _ path: String, _ range: Range<UInt64>, as access: OpenMapping.Access?
  ) throws(DiskError) {
    try perform(.map, path, offset: range.lowerBound) { (state, _) throws(CallFailure) in
      guard let open = state.mappings[mapping] else { throw CallFailure(.badDescriptor) }
      let pageSize = UInt64(Geometry.blockByteCount)
      let pages = Int(clamping: range.lowerBound / pageSize)..<Int(clamping: range.upperBound / pageSize)
      guard let access else {
        guard open.allows(.write, of: pages) else { throw CallFailure(.noMemory) }
        return
      }
      guard access == .none || state.openFiles[open.handle] != nil else { throw CallFailure(.badDescriptor) }
      guard access != .write || open.isWritable else { throw CallFailure(.accessDenied) }
      let inode = state[inode: open.inode]
      let end = Geometry.blockCount(for: inode.byteCount)
      if access != .none, !pages.isEmpty, pages.upperBound > end {
        state.note(.exposedBeyondEnd, open, range)
      } else if access == .write, !inode.blocks.contains(pages) {
        state.note(.exposedNotAllocated, open, range)
      }
      let known = pages.clamped(to: 0..<state.options.fileByteCountMax / Geometry.blockByteCount)
      state.mappings[mapping]?.setAccess(access, of: known)
    }
  }

  /// Carries out a store, or notes why a real machine would not have.
  mutating func store(_ mapping: Int, _ source: UnsafeRawBufferPointer, at offset: UInt64) {
    guard let open = mappings[mapping], source.count > 0 else { return }
    let count = UInt64(source.count)
    let range = offset..<(offset > .max - count ? .max : offset + count)
    let inode = self[inode: open.inode]
    guard range.upperBound <= UInt64(options.fileByteCountMax) else {
      note(.storeNotExposed, open, range)
      return
    }
    let bytes = Int(range.lowerBound)..<Int(range.upperBound)
    let pages = Geometry.blocks(touching: bytes)
    guard open.allows(.write, of: pages) else {
      note(.storeNotExposed, open, range)
      return
    }
    guard bytes.upperBound <= inode.byteCount else {
      note(.storeBeyondEnd, open, range)
      return
    }
    guard inode.blocks.contains(pages) else {
      note(.storeNotAllocated, open, range)
      return
    }
    unsafe inode.cache.write(source, at: bytes.lowerBound)
    let kept = unsafe journal.keep(source)
    journal.append(.store(file: open.inode, offset: bytes.lowerBound, bytes: kept))
  }

  mutating func release(mapping: Int) {
    guard let open = mappings.removeValue(forKey: mapping) else { return }
    release(open.inode) { $0.holderCount -= 1 }
  }

  private mutating func note(_ kind: Violation.Kind, _ open: OpenMapping, _ range: Range<UInt64>) {
    let violation = Violation(kind: kind, path: self[inode: open.inode].path, range: range)
    violations.append(violation)
    if options.violationRule == .trap { preconditionFailure(violation.description) }
  }
}
