internal import CSediment
internal import SedimentDisk
internal import SedimentFormat

/// What opening a file hands over to the engine.
struct OpenedStore {
  let volume: Volume
  let index: HashIndex
  /// What the index still lacks; nil if that is nothing.
  let filling: IndexFilling?
  let slots: SlotTable
  let domain: ReaderDomain
  let retired: RetiredList
  let collections: CollectionTable
  let dictionaries: [DictionaryEntry]
  /// Nil in a store that is only read, like the next one.
  let writer: Locked<LogWriter>?
  let head: Locked<HeadKeeper>?
  let returned: ReturnedSlots
  let pace: PaceCell
  /// Whether the file's name is known to be on the disk.
  let isNameOnDisk: Bool
  let syncedSequence: UInt64
  let watermark: LogPosition
  let report: RecoveryReport
  let liveByteCount: Int
  /// The collections that were cleared, and to whose records the index leads.
  let cleared: CollectionTags
  let ticket: OpenFiles.Ticket
}

/// Opens a store's file, or makes it: takes the locks, recovers the log and fills the index.
struct StoreOpening {
  /// The path of the file itself, to which links may lead.
  let path: String
  let options: SedimentOptions
  let disk: any Disk

  init(path: String, options: SedimentOptions, disk: any Disk) throws(SedimentError) {
    self.path = try disk.storePath(path)
    self.options = options
    self.disk = disk
  }

  /// The byte that a writer has for itself and readers share (DESIGN.md 3.8).
  static let lockedByte: Range<UInt64> = 1 << 62..<(1 << 62 + 1)

  func run() throws(SedimentError) -> OpenedStore {
    try checkOptions()
    for _ in 0..<Self.attemptCountMax {
      let (file, isCreated) = try openFile()
      do throws(SedimentError) {
        if let opened = try open(file, isCreated: isCreated) { return opened }
      } catch {
        try? file.close()
        throw error
      }
      try? file.close()
    }
    throw replaced
  }

  /// The error for a path that leads to another file each time it is looked at.
  var replaced: SedimentError {
    SedimentError(
      .inputOutput, path: path,
      message: "Another file takes its place again and again. See who replaces it, and open it then.")
  }

  /// Refuses options that cannot be meant, before anything is created.
  private func checkOptions() throws(SedimentError) {
    guard options.permissions & ~0o777 == 0, options.permissions & 0o600 == 0o600 else {
      throw .permissions(path, options.permissions)
    }
    let lengths = Log.inlineValueByteCountTop...Limits.valueByteCountMax
    guard lengths.contains(options.valueByteCountMax) else {
      throw SedimentError(
        .invalidArgument, path: path,
        message:
          "Values of at most \(options.valueByteCountMax) bytes cannot be asked for. Choose a limit from"
          + " \(lengths.lowerBound) to \(lengths.upperBound).")
    }
    let byteCountMin = SedimentCapacity.byteCountMin
    if let byteCount = options.capacity.byteCountMax, byteCount < byteCountMin {
      throw SedimentError(
        .invalidArgument, path: path,
        message:
          "A capacity of \(byteCount) bytes holds nothing: an empty file has \(byteCountMin). Allow half a MiB or more."
      )
    }
    guard case .zstd(let level) = options.compression, !ZstdFrame.levels.contains(level) else { return }
    let levels = ZstdFrame.levels
    throw SedimentError(
      .invalidArgument, path: path,
      message:
        "Values cannot be compressed at level \(level). Choose one from \(levels.lowerBound), which is the quickest,"
        + " to \(levels.upperBound), which makes them smallest.")
  }

  private var mayCreate: Bool { !options.mustExist && !options.readOnly }

  private var creation: FileCreation {
    FileCreation(path: path, permissions: options.permissions, on: disk)
  }

  /// How often the file is opened anew because another took its place.
  static let attemptCountMax = 3

  /// The file, and whether it was created here.
  private func openFile() throws(SedimentError) -> (StoreFile, isCreated: Bool) {
    let mode: OpenMode = options.readOnly ? .read : .readWrite
    do throws(SedimentError) {
      return (try disk.openFile(path, mode), false)
    } catch {
      guard error.systemError?.code == .notFound, mayCreate else { throw error }
    }
    var isCreated = true
    do throws(SedimentError) {
      try creation.run()
    } catch  where error.code == .exists {
      // Somebody else was quicker.
      isCreated = false
    }
    return (try disk.openFile(path, mode), isCreated)
  }

  /// Opens a file; nil if it is not the one at the path any more, now that it is locked.
  private func open(_ file: StoreFile, isCreated: Bool) throws(SedimentError) -> OpenedStore? {
    let ticket = try takeLocks(file)
    if mayCreate, try file.byteCount() == 0 {
      // The new store takes the file's place only while this lock keeps others from making one there, too.
      try creation.run(replacing: { () throws(SedimentError) in
        guard try isInPlace(file) else { return false }
        return try file.byteCount() == 0
      })
      return nil
    }
    guard try isInPlace(file) else { return nil }
    let opening = Opening(file, on: disk, writingNote: { writeNote(file) })
    let opened = try opening.recover(options.readOnly ? .readOnly : .readWrite, leavingHeaders: true)
    let missing = try missingRange(of: file, holding: opened.log.catalogue)
    let load = { () throws(SedimentError) -> OpenedStore in
      try self.load(
        opened, opened.log.patched ?? file, missing, isNameOnDisk: isCreated || !opened.log.head.isAsCreated,
        ticket)
    }
    guard let headers = opened.log.uncheckedHeaders else { return try load() }
    // No file is written to before it is known to be one that may be.
    let loaded = try missing.isEmpty ? headers.run(beside: load) : headers.run(before: load)
    loaded.head?.withLock { head in head.isNoteUnsynced = writeNote(file) }
    return loaded
  }

  /// Whether the path still leads to a file: it may have been destroyed or replaced before it was locked.
  func isInPlace(_ file: StoreFile) throws(SedimentError) -> Bool {
    do throws(SedimentError) {
      let present = try disk.openFile(path, .read)
      defer { try? present.close() }
      return present.identifier == file.identifier
    } catch {
      if error.systemError?.code == .notFound { return false }
      throw error
    }
  }

  // MARK: Locks

  /// Locks a file against other processes and other openings of this one.
  func takeLocks(_ file: StoreFile) throws(SedimentError) -> OpenFiles.Ticket {
    let isTaken = try file.lock(Self.lockedByte, options.readOnly ? .shared : .exclusive)
    guard isTaken, let ticket = OpenFiles.take(file.identifier, forReading: options.readOnly) else {
      throw SedimentError(.locked, path: path, message: whyLocked(file))
    }
    return ticket
  }

  /// What a second opening is told, with what is known of the first.
  private func whyLocked(_ file: StoreFile) -> String {
    if let uses = OpenFiles.uses(of: file.identifier) {
      if uses.closingCount > 0 {
        return
          "This process is closing the store, and lets go of its file as soon as nobody reads from it any more. Open"
          + " it once `close` has returned, and no closure is left that it was called in."
      }
      return uses.isWritten
        ? "This process has the store open already. Use that opening, or close it first."
        : "This process has the store open for reading. Close that opening first, or open both for reading only."
    }
    return
      "Another process has the store open.\(owner(of: file)) Close it there, or open both for reading only."
  }

  /// Who opened a file for writing the last time, as far as that may help; it may have let go of it since, and readers
  /// leave no note.
  private func owner(of file: StoreFile) -> String {
    guard let note = file.ownerNote(),
      sediment_process_lives(note.processNumber) != 0
    else { return "" }
    return " Process \(note.processNumber) opened it last."
  }

  /// Writes who has the file open; whether something was written.
  private func writeNote(_ file: StoreFile) -> Bool {
    if options.readOnly { return false }
    let note = OwnerNote(processNumber: sediment_process_number(), openedAt: disk.wallClock()).encode()
    try? file.write(unsafe note.span.bytes, at: OwnerNote.byteOffset)
    return true
  }
}
