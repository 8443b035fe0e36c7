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
      if !state.isExposed(inode: number) { cache.conceal(0..<cache.byteCount) }
      return (mapping, cache)
    }
  }

  /// Changes what a range may be used for.
  mutating func expose(
    _ mapping: Int, _ path: String, _ range: Range<UInt64>, as access: OpenMapping.Access
  ) throws(DiskError) {
    try perform(.map, path, offset: range.lowerBound) { (state, _) throws(CallFailure) in
      guard let open = state.mappings[mapping] else { throw CallFailure(.badDescriptor) }
      let blockSize = UInt64(Geometry.blockByteCount)
      let blocks = Int(clamping: range.lowerBound / blockSize)..<Int(clamping: range.upperBound / blockSize)
      guard access == .none || state.openFiles[open.handle] != nil else { throw CallFailure(.badDescriptor) }
      guard access != .write || open.isWritable else { throw CallFailure(.accessDenied) }
      let inode = state[inode: open.inode]
      let end = state.pages(touching: 0..<inode.byteCount).upperBound
      if access != .none, !blocks.isEmpty, blocks.upperBound > end {
        state.note(.exposedBeyondEnd, open, range)
      } else if access == .write, !inode.areAllocated(blocks) {
        state.note(.exposedNotAllocated, open, range)
      }
      let known = blocks.clamped(to: 0..<state.options.fileByteCountMax / Geometry.blockByteCount)
      state.mappings[mapping]?.setAccess(access, of: known)
      state.setReadable(known, access != .none, open.inode)
    }
  }

  /// Lets blocks be read at their addresses, or not if no mapping of the file exposes them.
  private func setReadable(_ blocks: Range<Int>, _ isReadable: Bool, _ number: Int) {
    let cache = self[inode: number].cache
    if isReadable { return cache.reveal(Geometry.bytes(of: blocks)) }
    let others = mappings.values.filter { $0.inode == number && $0.isExposed }
    var rest = blocks
    while let first = rest.first(where: { !others.areReading($0) }) {
      let end = (first..<rest.upperBound).first { others.areReading($0) } ?? rest.upperBound
      cache.conceal(Geometry.bytes(of: first..<end))
      rest = end..<rest.upperBound
    }
  }

  /// Whether any mapping of a file exposes anything.
  private func isExposed(inode number: Int) -> Bool {
    mappings.values.contains { $0.inode == number && $0.isExposed }
  }

  /// The blocks of the pages that hold at least one byte of the range.
  private func pages(touching range: Range<Int>) -> Range<Int> {
    guard !range.isEmpty else { return 0..<0 }
    let page = options.pageByteCount
    return Geometry.blocks(
      touching: range.lowerBound / page * page..<(range.upperBound + page - 1) / page * page)
  }

  /// Carries out a store, or notes why a real machine would not have.
  mutating func store(_ mapping: Int, _ source: UnsafeRawBufferPointer, at offset: UInt64) {
    guard let open = mappings[mapping], source.count > 0 else { return }
    guard !open.isForsaken else {
      note(.storeAfterClose, open, offset..<offset + UInt64(source.count))
      return
    }
    let count = UInt64(source.count)
    let range = offset..<(offset > .max - count ? .max : offset + count)
    let inode = self[inode: open.inode]
    guard range.upperBound <= UInt64(options.fileByteCountMax) else {
      note(.storeNotExposed, open, range)
      return
    }
    let bytes = Int(range.lowerBound)..<Int(range.upperBound)
    let pages = pages(touching: bytes)
    guard open.allows(.write, of: pages) else {
      note(.storeNotExposed, open, range)
      return
    }
    guard bytes.upperBound <= inode.byteCount else {
      note(.storeBeyondEnd, open, range)
      return
    }
    // The system writes whole pages: a store takes blocks for all of the one that it touches, and new ones if it copies.
    guard !options.copiesOnWrite, inode.areAllocated(pages) else {
      note(.storeNotAllocated, open, range)
      return
    }
    unsafe inode.cache.write(source, at: bytes.lowerBound)
    let kept = unsafe journal.keep(source)
    journal.append(.store(file: open.inode, offset: bytes.lowerBound, bytes: kept))
  }

  /// Spoils what is read through mappings of closed openings, since whoever opens the file now may change it at once.
  ///
  /// They keep their memory, full of bytes that no file has. Not while another opening has mapped the same memory.
  mutating func forsakeMappings(of number: Int) throws(CallFailure) {
    let all = mappings.filter { $0.value.inode == number && !$0.value.isForsaken }
    guard !all.isEmpty, all.values.allSatisfy({ openFiles[$0.handle] == nil }) else { return }
    let inode = self[inode: number]
    let old = inode.cache
    let new = try PageCache(byteCount: options.fileByteCountMax)
    old.copy(byteCount: inode.byteCount, to: new)
    self[inode: number].cache = new
    old.spoil(byteCount: inode.byteCount)
    for mapping in all.keys { mappings[mapping]?.isForsaken = true }
  }

  mutating func release(mapping: Int) {
    guard let open = mappings.removeValue(forKey: mapping) else { return }
    let cache = self[inode: open.inode].cache
    if !mappings.values.contains(where: { $0.inode == open.inode }) { cache.forgetReaders() }
    release(open.inode) { $0.holderCount -= 1 }
  }

  private mutating func note(_ kind: Violation.Kind, _ open: OpenMapping, _ range: Range<UInt64>) {
    let violation = Violation(kind: kind, path: self[inode: open.inode].path, range: range)
    violations.append(violation)
    if options.violationRule == .trap { preconditionFailure(violation.description) }
  }
}

extension [OpenMapping] {
  /// Whether any of them lets a block be read.
  fileprivate func areReading(_ block: Int) -> Bool { contains { $0.allows(.read, of: block..<block + 1) } }
}
