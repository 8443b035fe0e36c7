internal import SedimentDisk

extension DiskState {
  mutating func byteCount(_ handle: Int, _ path: String) throws(DiskError) -> UInt64 {
    try perform(.byteCount, path) { (state, _) throws(CallFailure) in
      UInt64(state[inode: try state.inodeNumber(ofOpenFile: handle)].byteCount)
    }
  }

  mutating func read(
    _ handle: Int, _ path: String, into target: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(DiskError) -> Int {
    try perform(.read, path, offset: offset) { (state, effect) throws(CallFailure) in
      state.readByteCountAsked = max(state.readByteCountAsked, target.count)
      let inode = state[inode: try state.inodeNumber(ofOpenFile: handle)]
      guard offset <= UInt64(Int64.max - Int64(target.count)) else { throw CallFailure(.invalidArgument) }
      let start = Int(offset)
      guard start < inode.byteCount else { return 0 }
      var count = min(target.count, inode.byteCount - start)
      if case .shortRead(let byteCount) = effect { count = min(count, max(0, byteCount)) }
      let range = start..<start + count
      let wanted = UInt64(range.lowerBound)..<UInt64(range.upperBound)
      if inode.badRanges.contains(where: { $0.overlaps(wanted) }) { throw CallFailure(.inputOutput) }
      unsafe inode.cache.read(range, into: target)
      state.readByteCount += UInt64(range.count)
      return range.count
    }
  }

  mutating func write(
    _ handle: Int, _ path: String, _ source: UnsafeRawBufferPointer, at offset: UInt64
  ) throws(DiskError) {
    try perform(.write, path, offset: offset) { (state, effect) throws(CallFailure) in
      let number = try state.inodeNumber(ofOpenFile: handle, writing: true)
      guard offset <= UInt64(Int64.max - Int64(source.count)) else { throw CallFailure(.invalidArgument) }
      guard source.count > 0 else { return }
      let sizeMax = UInt64(state.options.fileByteCountMax)
      guard offset < sizeMax, UInt64(source.count) <= sizeMax - offset else {
        throw CallFailure(.fileTooLarge)
      }
      let start = Int(offset)
      var source = unsafe source
      var failure: CallFailure?
      if case .shortWrite(let count, let code) = effect {
        unsafe source = UnsafeRawBufferPointer(rebasing: source.prefix(max(0, count)))
        failure = CallFailure(code, after: source.count)
      }
      let count = state.writableByteCount(start..<start + source.count, number)
      if count < source.count {
        unsafe source = UnsafeRawBufferPointer(rebasing: source.prefix(count))
        failure = CallFailure(.noSpace, after: count)
      }
      if case .forgottenWrite(let code) = effect {
        state.forget(start..<start + source.count, number, code)
      } else {
        let landing = try state.landing(of: effect, byteCount: source.count)
        unsafe state.put(source, at: start, number, landing)
      }
      state.writtenByteCount += UInt64(source.count)
      if let failure { throw failure }
    }
  }

  mutating func sync(_ handle: Int, _ path: String) throws(DiskError) {
    try perform(.sync, path) { (state, effect) throws(CallFailure) in
      let number = try state.inodeNumber(ofOpenFile: handle)
      if case .droppedSync(let code) = effect {
        // Where blocks are reserved in place they may count as written before they are.
        let strandsBlocks = state.options.traits.allocatesBlocks
        state.journal.append(.dropUnsynced(file: number, strandsBlocks: strandsBlocks))
        if strandsBlocks { state[inode: number].mayHaveStranded = true }
        throw CallFailure(code)
      }
      if let code = state[inode: number].untoldFailure {
        state[inode: number].untoldFailure = nil
        throw CallFailure(code)
      }
      if state.options.syncsEmptyDriveCache { state.journal.append(.sync(file: number)) }
      state.copies.settle()
    }
  }

  /// Lets the cache have of stranded blocks what the medium has: zeros.
  mutating func forgetUnwritten(_ handle: Int) {
    guard let number = openFiles[handle]?.inode, self[inode: number].mayHaveStranded else { return }
    let inode = self[inode: number]
    var rest = 0..<Geometry.blockCount(for: inode.byteCount)
    let stranded = walkedMedium().files[number]?.stranded ?? BlockSet()
    while let run = stranded.firstRun(in: rest) {
      inode.cache.zero(Geometry.bytes(of: run).clamped(to: 0..<inode.byteCount))
      rest = run.upperBound..<rest.upperBound
    }
    self[inode: number].mayHaveStranded = false
    journal.append(.forgetStranded(file: number))
  }

  /// Makes bytes the file's contents and notes where they are to land on the medium.
  ///
  /// There is room for them, on the disk and in the cache, by the caller's checks.
  mutating func put(
    _ source: UnsafeRawBufferPointer, at offset: Int, _ number: Int, _ landing: DiskEvent.Landing
  ) {
    guard source.count > 0 else { return }
    let end = offset + source.count
    let blocks = Geometry.blocks(touching: offset..<end)
    if options.copiesOnWrite { copies.write(blocks, of: number, before: self[inode: number].blocks) }
    insert(blocks, number)
    unsafe self[inode: number].cache.write(source, at: offset)
    self[inode: number].byteCount = max(self[inode: number].byteCount, end)
    let kept = unsafe journal.keep(source)
    journal.append(.write(file: number, offset: offset, bytes: kept, landing))
  }

  /// Gives a range space, and no bytes.
  private mutating func forget(_ range: Range<Int>, _ number: Int, _ code: SystemErrorCode) {
    let blocks = Geometry.blocks(touching: range)
    if options.copiesOnWrite { copies.write(blocks, of: number, before: self[inode: number].blocks) }
    insert(blocks, number)
    journal.append(.allocate(file: number, blocks: blocks))
    if range.upperBound > self[inode: number].byteCount {
      self[inode: number].byteCount = range.upperBound
      journal.append(.resize(file: number, byteCount: range.upperBound))
    }
    self[inode: number].untoldFailure = code
  }

  /// How many of the range's first bytes the disk has room for.
  private func writableByteCount(_ range: Range<Int>, _ number: Int) -> Int {
    guard options.capacity != nil else { return range.count }
    let blocks = self[inode: number].blocks
    var free = freeBlockCount
    let isCopied = options.copiesOnWrite
    for block in Geometry.blocks(touching: range)
    where !blocks.contains(block) || isCopied && copies.needsCopy(block, of: number) {
      guard free > 0 else { return max(0, block * Geometry.blockByteCount - range.lowerBound) }
      free -= 1
    }
    return range.count
  }

  private func landing(of effect: FaultEffect?, byteCount: Int) throws(CallFailure) -> DiskEvent.Landing {
    switch effect {
    case .lostWrite: return .lost
    case .tornWrite(let count): return .torn(min(max(0, count), byteCount))
    case .misdirectedWrite(let target):
      let sizeMax = UInt64(options.fileByteCountMax)
      guard target < sizeMax, UInt64(byteCount) <= sizeMax - target else { return .lost }
      return .misdirected(Int(target))
    default: return .whole
    }
  }
}
