extension SimulatedDisk {
  /// Lets both clocks run; a negative duration is a mistake of the test's.
  public func advanceClocks(by duration: Duration) {
    guard let nanoseconds = duration.wholeNanoseconds else {
      preconditionFailure("clocks advance by a positive duration")
    }
    withState { $0.clock.advance(nanoseconds: nanoseconds) }
  }

  /// Sets the wall clock alone, forwards or backwards, to milliseconds since 1970.
  public func setWallClock(to milliseconds: UInt64) {
    withState { $0.clock.wallMilliseconds = milliseconds }
  }

  /// How many bytes of blocks the disk has, nil for as many as are asked for; it may be changed at any time.
  public var capacity: UInt64? {
    get { withState { $0.options.capacity } }
    set { withState { $0.options.capacity = newValue } }
  }

  /// How many bytes of memory the process may have, nil if that is not known; it may be changed at any time.
  public var processMemory: UInt64? {
    get { withState { $0.options.processMemory } }
    set { withState { $0.options.processMemory = newValue } }
  }

  /// The bytes of all blocks in use.
  public var usedByteCount: UInt64 {
    withState { UInt64($0.usedBlockCount * Geometry.blockByteCount) }
  }

  /// The bytes that calls have read so far, of all files; what is read in mapped memory is not among them.
  package var readByteCount: UInt64 {
    withState { $0.readByteCount }
  }

  /// The most bytes that one call so far had memory for to read into, whether there were as many or not.
  package var readByteCountAsked: Int {
    withState { $0.readByteCountAsked }
  }

  /// The bytes that calls have written so far, of all files.
  package var writtenByteCount: UInt64 {
    withState { $0.writtenByteCount }
  }

  /// The accesses so far that would have ended a real process.
  public var violations: [Violation] {
    withState { $0.violations }
  }

  /// The names of all files, sorted.
  public var paths: [String] {
    withState { $0.names.keys.sorted() }
  }

  /// The names of the files that somebody has locked, sorted.
  ///
  /// A system that suspends apps ends one that holds a lock in a container shared with others.
  public var lockedPaths: [String] {
    withState { state in
      state.names.filter { !state[inode: $0.value].locks.isEmpty }.map(\.key).sorted()
    }
  }

  /// What a reader sees of a file, or nil where there is none.
  public func contents(of path: String) -> [UInt8]? {
    withState { state in
      state.names[path].map { number in
        let inode = state[inode: number]
        return inode.cache.bytes(in: 0..<inode.byteCount)
      }
    }
  }

  /// What a reader sees of all files, by their paths.
  public var contentsByPath: [String: [UInt8]] {
    withState { state in
      state.names.mapValues { number in
        let inode = state[inode: number]
        return inode.cache.bytes(in: 0..<inode.byteCount)
      }
    }
  }

  /// The length of a file, or nil where there is no such file.
  public func byteCount(of path: String) -> Int? {
    withState { state in state.names[path].map { state[inode: $0].byteCount } }
  }

  /// The bytes of a file's blocks, holes left out, or nil where there is no such file.
  public func allocatedByteCount(of path: String) -> UInt64? {
    withState { state in
      state.names[path].map { UInt64(state[inode: $0].blocks.count * Geometry.blockByteCount) }
    }
  }

  /// Puts a file in place, durable at once, and counts no call; a file of that name goes away.
  ///
  /// Other changes of names in its directory become durable with it.
  public func install(_ bytes: [UInt8], at path: String) {
    withState { state in
      precondition(bytes.count <= state.options.fileByteCountMax, "the file is too large for this disk")
      guard let cache = try? PageCache(byteCount: state.options.fileByteCountMax) else {
        preconditionFailure("no address space is left for a simulated file")
      }
      if let replaced = state.names[path] { state.release(replaced) { $0.hasName = false } }
      let number = state.nextNumber()
      state.inodes[number] = Inode(path: path, cache: cache)
      state.names[path] = number
      state.insert(0..<Geometry.blockCount(for: bytes.count), number)
      cache.write(bytes, at: 0)
      state[inode: number].byteCount = bytes.count
      let kept = unsafe bytes.withUnsafeBytes { unsafe state.journal.keep($0) }
      state.journal.append(.install(path: path, file: number, bytes: kept))
    }
  }
}
