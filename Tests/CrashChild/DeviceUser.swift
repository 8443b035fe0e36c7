import CrashModel
import Sediment
import SedimentDisk

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A process of the layer `device`.
///
/// It writes a mark to the device's log before and after each call, and at its end one line to its standard output:
/// `done`, `failed` with the error of a call that threw, or `wrong` with a finding.
struct DeviceUser {
  private let job: DeviceJob
  private let control: Int32
  private var store: SedimentStore
  /// The file by a descriptor that stays, since another one that is closed would end the store's locks.
  private let file: Int32
  /// Its directory.
  private let directory: Int32
  /// What is known of the store, by the marks.
  private var past: DevicePast

  static func run(_ job: DeviceJob) -> Never {
    // A page of a mapping that cannot be read ends it at once. Whoever prints a backtrace first lets it go on if the page
    // can be read then.
    _ = signal(SIGBUS, SIG_DFL)
    do {
      let control = unsafe open(job.control, O_WRONLY | O_CLOEXEC)
      var user = try DeviceUser(job, control)
      try user.work()
    } catch let error as SedimentError {
      end("failed: \(error.code): \(error)")
    } catch {
      end("wrong: \(error)")
    }
    end("done")
  }

  /// Opens the store, and compares what it holds.
  private init(_ job: DeviceJob, _ control: Int32) throws {
    self.job = job
    self.control = control
    var options = job.setup.options
    options.mustExist = job.past.isCreated
    past = job.past
    if job.mayBeOld { OldReads.forgetCache(ofPath: job.path) }
    store = try SedimentStore(path: job.path, options: options)
    file = unsafe open(job.path, O_RDWR | O_CLOEXEC)
    directory = unsafe open(job.folder, O_RDONLY | O_CLOEXEC)
    let found = try CrashContents(of: store)
    guard let count = job.setup.match(found, job.past, least: job.least) else {
      // An older state: what it leads to is not followed up.
      if job.mayBeOld, job.setup.hasGiven(found, before: job.past.next) { Self.end("done") }
      let text = found.withoutEmptyCollections.summary
      throw CrashContradiction(
        description: "found \(text), and not \(job.setup.summary(job.past, least: job.least)) or more; "
          + "changes \(job.past.argument), of the last at least \(job.least)")
    }
    try store.expectAccounts()
    try Self.checkCopy(job)
    mark(.opened(count))
  }

  private mutating func work() throws {
    for number in job.past.next..<job.past.next + job.count {
      if let command = job.command, command.number == number { try begin(command.text) }
      let operation = job.setup.operation(number)
      mark(.begins(number))
      do {
        if case .reopen = operation {
          try store.close()
          if job.mayBeOld { OldReads.forgetCache(file) }
          store = try SedimentStore(path: job.path, options: job.setup.options)
        } else {
          try operation.carryOut(on: store, number: number)
        }
        mark(.ended(number, isSynced: operation.isSynced))
      } catch let error as SedimentError where error.code == .outOfSpace {
        mark(.refused(number))
      } catch {
        mark(.failed(number))
        throw error
      }
      if job.setup.isCopied(after: number) { try copy() }
      writeBack(after: number)
    }
    if job.mayBeOld { try expectGivenValues() }
    if job.end == .close {
      try store.close()
      mark(.closed)
    }
  }

  /// Lets a fault of the device begin.
  private func begin(_ fault: String) throws {
    if fault.hasPrefix(DeviceJob.oldReads) {
      for place in OldReads.places(of: file) { tell("ages \(place.lowerBound) \(place.upperBound)") }
      OldReads.forgetCache(file)
    }
    tell(fault)
    if fault.hasPrefix(DeviceJob.oldReads) { try expectNothingBelieved() }
  }

  /// Reads everything again from a device whose bytes have become old since the store was opened: none of them is believed.
  private func expectNothingBelieved() throws {
    let found = try CrashContents(of: store)
    if job.setup.matches(found, past.fixed + past.tail) { return }
    let text = found.withoutEmptyCollections.summary
    throw CrashContradiction(
      description: "old bytes were believed: found \(text), after changes \(past.argument)")
  }

  /// Reads everything after changes that may have read old bytes: a key has only values that it was given.
  private func expectGivenValues() throws {
    OldReads.forgetCache(file)
    for name in [""] + store.collectionNames {
      let keys = try name.isEmpty ? store.defaultCollection : store.collection(name)
      try keys.forEach { key, value in
        let place = CrashOperation.Place(String(sedimentBytes: key) ?? "?", in: name)
        if job.setup.hasGiven([UInt8](sedimentBytes: value), to: place, before: past.next) {
          return .continue
        }
        throw CrashContradiction(description: "\(place) has a value that it was never given")
      }
    }
  }

  /// Makes a backup in place of the last one.
  private mutating func copy() throws {
    mark(.copying)
    _ = unsafe unlink(job.copyPath)
    do {
      try store.backup(to: job.copyPath)
      mark(.copied)
    } catch let error as SedimentError where error.code == .outOfSpace {}
  }

  /// Compares the backup, if there must be one.
  private static func checkCopy(_ job: DeviceJob) throws {
    guard let copied = job.past.copied else { return }
    var options = job.setup.options
    options.readOnly = true
    if unsafe access(job.copyPath, F_OK) != 0 { throw CrashContradiction(description: "the backup is gone") }
    let copy = try SedimentStore(path: job.copyPath, options: options)
    let found = try CrashContents(of: copy)
    try copy.close()
    if job.setup.matches(found, copied) { return }
    if job.mayBeOld, job.setup.hasGiven(found, before: job.past.next) { return }
    let text = found.withoutEmptyCollections.summary
    throw CrashContradiction(description: "the backup has \(text); changes \(job.past.argument)")
  }

  private func writeBack(after number: Int) {
    switch job.setup.writeback(after: number) {
    case .nothing: break
    case .part(let place, let length):
      let byteCount = Double(lseek(file, 0, SEEK_END))
      _ = posix_fadvise(file, off_t(place * byteCount), off_t(length * byteCount), POSIX_FADV_DONTNEED)
    case .file: _ = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    case .fileSystem: _ = fsync(directory)
    case .rest(let microseconds): usleep(microseconds)
    }
  }

  private mutating func mark(_ mark: DeviceMark) {
    tell("m\(mark.text)")
    past.note(mark)
  }

  /// Gives a command to the device.
  private func tell(_ text: String) {
    let bytes = Array(text.utf8)
    guard unsafe write(control, bytes, bytes.count) == bytes.count else {
      Self.end("wrong: there is no device")
    }
  }

  private static func end(_ line: String) -> Never {
    let bytes = Array("\(line)\n".utf8)
    _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    // Nothing is closed on the way out.
    _exit(0)
  }
}
