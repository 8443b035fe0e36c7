internal import SedimentDisk

extension DiskState {
  /// Opens a file; the result is the number of the opening.
  mutating func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> Int {
    try perform(.open, path) { (state, effect) throws(CallFailure) in
      let number: Int
      if case .creating = mode {
        guard state.names[path] == nil else { throw CallFailure(.exists) }
        number = try state.createFile(path)
      } else {
        guard let existing = state.names[path] else { throw CallFailure(.notFound) }
        number = existing
        try state.forsakeMappings(of: number)
      }
      // An opening that fails afterwards leaves the file behind, but nothing that could be closed.
      if case .errorAfterwards = effect { return 0 }
      let handle = state.nextNumber()
      state.openFiles[handle] = OpenFile(inode: number, path: path, isWritable: mode != .read)
      state[inode: number].holderCount += 1
      return handle
    }
  }

  mutating func rename(
    _ path: String, to destination: String, _ rule: RenameRule
  ) throws(DiskError) {
    try perform(.rename, path) { (state, _) throws(CallFailure) in
      guard Medium.directory(of: path) == Medium.directory(of: destination) else {
        throw CallFailure(.invalidArgument)
      }
      guard let number = state.names[path] else { throw CallFailure(.notFound) }
      if rule == .keepExisting, state.names[destination] != nil { throw CallFailure(.exists) }
      guard path != destination else { return }
      if let replaced = state.names[destination] {
        state.release(replaced) { $0.hasName = false }
      }
      state.names[path] = nil
      state.names[destination] = number
      state[inode: number].path = destination
      state.note(.rename(from: path, to: destination, file: number), of: destination)
    }
  }

  mutating func remove(_ path: String) throws(DiskError) {
    try perform(.remove, path) { (state, _) throws(CallFailure) in
      guard let number = state.names.removeValue(forKey: path) else { throw CallFailure(.notFound) }
      state.release(number) { $0.hasName = false }
      state.note(.remove(path: path, file: number), of: path)
    }
  }

  mutating func createDirectories(of path: String) throws(DiskError) {
    try perform(.createDirectories, path) { (_, _) throws(CallFailure) in }
  }

  mutating func syncDirectory(of path: String) throws(DiskError) {
    try perform(.syncDirectory, path) { (state, _) throws(CallFailure) in
      if state.options.refusals.contains(.directorySyncs) { throw CallFailure(.accessDenied) }
      state.journal.append(.syncDirectory(Medium.directory(of: path)))
    }
  }

  /// Notes a change of a name, which is durable at once where nobody can ask for it.
  private mutating func note(_ event: DiskEvent, of path: String) {
    let settles = options.refusals.contains(.directorySyncs)
    journal.append(settles ? .settled(event, directory: Medium.directory(of: path)) : event)
  }

  /// Closes an opening; what reports it is the caller's business.
  mutating func forget(openFile handle: Int) {
    guard let file = openFiles.removeValue(forKey: handle) else { return }
    release(file.inode) { inode in
      inode.locks.unlockAll(owner: handle)
      inode.holderCount -= 1
    }
  }

  /// Makes an empty file and its name; the caller made sure that the name is free.
  mutating func createFile(_ path: String) throws(CallFailure) -> Int {
    let cache = try PageCache(byteCount: options.fileByteCountMax)
    let number = nextNumber()
    inodes[number] = Inode(path: path, cache: cache)
    names[path] = number
    note(.create(path: path, file: number), of: path)
    return number
  }
}
