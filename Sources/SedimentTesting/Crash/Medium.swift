/// All that a disk's medium holds for certain, and all that it may or may not hold besides.
struct Medium: Sendable {
  /// Files by number.
  var files: [Int: MediumFile] = [:]
  /// The settled directory entries: file numbers by path.
  var names: [String: Int] = [:]
  /// The unsettled ones, oldest first.
  var nameChanges: [NameChange] = []
  /// Counts everything that can persist on its own, in order.
  private(set) var moment = 0

  struct NameChange: Sendable {
    var moment: Int
    var file: Int
    var kind: Kind

    enum Kind: Sendable {
      case create(String)
      case rename(from: String, to: String)
      case remove(String)
    }
  }

  /// Takes one event of the journal.
  mutating func apply(_ event: DiskEvent, bytes: [UInt8], granule: Int) {
    moment += 1
    switch event {
    case .create(let path, let file):
      files[file] = MediumFile(path: path)
      change(.create(path), file)
    case .rename(let from, let to, let file):
      files[file]?.path = to
      change(.rename(from: from, to: to), file)
    case .remove(let path, let file):
      change(.remove(path), file)
    case .syncDirectory(let directory):
      syncDirectory(directory)
    case .settled(let event, let directory):
      apply(event, bytes: bytes, granule: granule)
      syncDirectory(directory)
    case .write(let file, let offset, let range, let landing):
      files[file]?.write(bytes[range], at: offset, landing, moment: &moment)
      moment += 1
      if let length = files[file]?.liveByteCount, offset + range.count > length {
        files[file]?.resize(to: offset + range.count, at: moment)
      }
    case .store(let file, let offset, let range):
      files[file]?.store(bytes[range], at: offset, granule: granule, moment: &moment)
    case .allocate(let file, let blocks):
      files[file]?.allocate(blocks, at: moment)
    case .punch(let file, let blocks):
      files[file]?.punch(blocks, at: moment)
    case .resize(let file, let byteCount):
      files[file]?.resize(to: byteCount, at: moment)
    case .sync(let file):
      files[file]?.sync()
    case .dropUnsynced(let file, let strandsBlocks):
      files[file]?.dropUnsynced(strandsBlocks: strandsBlocks)
    case .forgetStranded(let file):
      files[file]?.forgetStranded()
    case .damage(let file, let offset, let range):
      files[file]?.damage(bytes[range], at: offset)
    case .cut(let file, let byteCount):
      files[file]?.cut(to: byteCount)
    case .install(let path, let file, let range):
      settleNames(inDirectoryOf: path)
      names[path] = file
      files[file] = MediumFile(path: path, bytes: [UInt8](bytes[range]))
    }
  }

  /// The directory after the changes for which `isChosen` holds, by their position.
  ///
  /// Each change is done or not done as a whole, and a file never has two names: a rename that persisted
  /// without an earlier one takes the file from wherever it is.
  func names(where isChosen: (Int) -> Bool) -> [String: Int] {
    var result = names
    for (index, change) in nameChanges.enumerated() where isChosen(index) {
      Self.apply(change, to: &result)
    }
    return result
  }

  /// The directory as the running process sees it.
  var liveNames: [String: Int] {
    names { _ in true }
  }

  static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  private mutating func change(_ kind: NameChange.Kind, _ file: Int) {
    nameChanges.append(NameChange(moment: moment, file: file, kind: kind))
  }

  private mutating func syncDirectory(_ directory: String) {
    settle { Self.directory(of: $0.path) == directory }
  }

  private mutating func settleNames(inDirectoryOf path: String) {
    syncDirectory(Self.directory(of: path))
  }

  private mutating func settle(where isSettled: (NameChange) -> Bool) {
    for change in nameChanges where isSettled(change) {
      Self.apply(change, to: &names)
    }
    nameChanges.removeAll(where: isSettled)
    let reachable = Set(names.values).union(nameChanges.map(\.file))
    files = files.filter { reachable.contains($0.key) }
  }

  private static func apply(_ change: NameChange, to names: inout [String: Int]) {
    switch change.kind {
    case .create(let path):
      names[path] = change.file
    case .rename(_, let destination):
      removeName(of: change.file, from: &names)
      names[destination] = change.file
    case .remove:
      removeName(of: change.file, from: &names)
    }
  }

  private static func removeName(of file: Int, from names: inout [String: Int]) {
    for (path, number) in names where number == file { names[path] = nil }
  }
}

extension Medium.NameChange {
  /// A path in the directory that changed.
  var path: String {
    switch kind {
    case .create(let path), .remove(let path), .rename(let path, _): path
    }
  }
}

extension Medium.NameChange: CustomStringConvertible {
  var description: String {
    switch kind {
    case .create(let path): "creation of '\(path)'"
    case .rename(let from, let to): "renaming of '\(from)' to '\(to)'"
    case .remove(let path): "removal of '\(path)'"
    }
  }
}
