package import Foundation
package import Sediment
import Synchronization

/// A store that several in this process use; it is closed when the last of them has gone.
package final class SharedStore: Sendable {
  package let store: SedimentStore
  private let file: SharedFile
  private let observer: Int?

  private init(_ store: SedimentStore, _ file: SharedFile, _ observer: Int?) {
    self.store = store
    self.file = file
    self.observer = observer
  }

  deinit { file.leave(observer) }

  /// The store of a file: the one that is open in this process, or opened now.
  ///
  /// Where the file was removed or replaced, those who have it open find their store closed, and a new one is opened. That
  /// is seen here, and after each sync. The same happens here to a store whose disk has failed, which would take no change
  /// any more: nobody else can close it and open it again.
  package static func open(_ url: URL, _ options: SedimentOptions) throws -> SharedStore {
    while true {
      let file = SharedFile.claim(url)
      do {
        if let (store, observer) = try file.enter(options) { return SharedStore(store, file, observer) }
        file.unclaim()
      } catch {
        file.unclaim()
        throw error
      }
    }
  }

  /// Whether a file is in use or about to be.
  package static func isShared(_ url: URL) -> Bool { SharedFile.isKnown(url) }

  /// An error of the store's, as one that says why the store was closed though it was in use.
  func explained(_ error: any Error) -> any Error {
    guard (error as? SedimentError)?.code == .closed else { return error }
    return switch file.end {
    case nil: error
    case .removed:
      SedimentError(
        .notFound, path: store.path,
        message: "The file was removed or replaced while it was open. Make the storage anew to have the file "
          + "that is there now.")
    case .failed:
      SedimentError(
        .closed, path: store.path,
        message: "The disk failed, and another storage opened the file anew. Make this one anew, too, to "
          + "have what is there now.")
    }
  }
}

/// A file that stores are shared of: who uses it, and the store while somebody does.
private final class SharedFile: Sendable {
  /// Why a store was closed though it was in use; whoever comes then gets another one.
  enum End {
    case removed, failed
  }

  private struct State {
    var store: SedimentStore?
    var options = SedimentOptions()
    var place: FilePlace?
    var userCount = 0
    var end: End?
  }

  /// What users want to be told of events, each by its number.
  private struct Observers {
    var all: [Int: @Sendable (SedimentEvent) -> Void] = [:]
    var count = 0
  }

  /// Those that are in use or about to be, each with how many use it, by the bytes of their paths: texts that are equal,
  /// since they look alike, may name different files.
  private static let files = Mutex<[[UInt8]: (file: SharedFile, claimCount: Int)]>([:])

  private let url: URL
  private var path: [UInt8] { [UInt8](url.path.utf8) }
  private let state = Mutex(State())
  private let observers = Mutex(Observers())
  private let queue = SerialQueue()

  private init(_ url: URL) { self.url = url }

  /// The one of a path, whatever ways there are to write it; who gets it gives it back by `unclaim`.
  static func claim(_ url: URL) -> SharedFile {
    let url = url.withoutLinks
    return files.withLock { files in
      let path = [UInt8](url.path.utf8)
      var entry = files[path] ?? (SharedFile(url), 0)
      entry.claimCount += 1
      files[path] = entry
      return entry.file
    }
  }

  func unclaim() {
    Self.files.withLock { files in
      guard let entry = files[path], entry.file === self else { return }
      files[path] = entry.claimCount == 1 ? nil : (self, entry.claimCount - 1)
    }
  }

  static func isKnown(_ url: URL) -> Bool {
    let path = [UInt8](url.withoutLinks.path.utf8)
    return files.withLock { $0[path] != nil }
  }

  /// Lets those who come now have another one.
  private func retire() {
    Self.files.withLock { files in
      if files[path]?.file === self { files[path] = nil }
    }
  }

  /// The open store and the number of the user's observer; nil where the file was removed while it was open, or its disk
  /// has failed.
  ///
  /// Opening and closing wait for each other, so that the file's lock is never in one's own way.
  func enter(_ options: SedimentOptions) throws -> (store: SedimentStore, observer: Int?)? {
    // It is told of opening, too.
    let observer = options.observer.map(add)
    do {
      if let store = try store(options) { return (store, observer) }
    } catch {
      remove(observer)
      throw error
    }
    remove(observer)
    return nil
  }

  private func store(_ options: SedimentOptions) throws -> SedimentStore? {
    closeIfRemoved()
    close(with: .failed) { store, _ in store.hasFailed }
    return try state.withLock { state in
      if state.end != nil { return nil }
      if state.store != nil, let difference = state.options.difference(from: options) {
        throw SedimentError(
          .invalidArgument, path: url.path,
          message: "The file is open in this process with another \(difference): name it with the same "
            + "options everywhere.")
      }
      let store = try state.store ?? open(options)
      if state.store == nil {
        state.options = options
        state.place = FilePlace(of: url)
      }
      state.store = store
      state.userCount += 1
      return store
    }
  }

  /// Closes the store of a file that is no longer at its path: nobody would find what is set to it.
  private func closeIfRemoved() {
    close(with: .removed) { _, state in state.place != FilePlace(of: url) }
  }

  /// Closes the store if it is open and a condition holds, and lets those who come now have another one.
  private func close(with end: End, if condition: (SedimentStore, State) -> Bool) {
    let store: SedimentStore? = state.withLock { state in
      guard let store = state.store, state.end == nil, condition(store, state) else { return nil }
      state.end = end
      retire()
      return store
    }
    // Without the lock: what it waits for may let go of the last storage.
    try? store?.close()
  }

  private func add(_ observer: @escaping @Sendable (SedimentEvent) -> Void) -> Int {
    observers.withLock { observers in
      observers.count += 1
      observers.all[observers.count] = observer
      return observers.count
    }
  }

  private func remove(_ observer: Int?) {
    guard let observer else { return }
    // What it holds ends without the lock.
    _ = observers.withLock { $0.all.removeValue(forKey: observer) }
  }

  private func open(_ options: SedimentOptions) throws -> SedimentStore {
    var options = options
    options.observer = { [weak self] event in self?.tell(event) }
    return try SedimentStore(url: url, options: options)
  }

  /// Looks after the file, then tells those who are observers now, with no lock held: they may name the file, or let go
  /// of it.
  private func tell(_ event: SedimentEvent) {
    let all = observers.withLock { Array($0.all.values) }
    queue.run {
      self.closeIfRemoved()
      for observer in all { observer(event) }
    }
  }

  func leave(_ observer: Int?) {
    state.withLock { state in
      state.userCount -= 1
      guard state.userCount == 0 else { return }
      // What fails here has been told to the store's observer, and loses nothing: recovery does what closing could not.
      try? state.store?.close()
      state.store = nil
    }
    remove(observer)
    unclaim()
  }

  var end: End? { state.withLock { $0.end } }
}

/// What tells a file from another one of its path.
private struct FilePlace: Hashable, Sendable {
  private let volume: Int?
  private let number: Int?

  /// Nil where there is no file.
  init?(of url: URL) {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else { return nil }
    volume = attributes[.systemNumber] as? Int
    number = attributes[.systemFileNumber] as? Int
  }
}

extension SedimentOptions {
  /// The name of an option that would make a store of these unlike one of others; the durability is said for each
  /// change, and each observer is told.
  fileprivate func difference(from other: SedimentOptions) -> String? {
    if readOnly != other.readOnly { return "readOnly" }
    if access != other.access { return "access" }
    if verifiesReads != other.verifiesReads { return "verifiesReads" }
    if capacity != other.capacity { return "capacity" }
    if compaction != other.compaction { return "compaction" }
    if compression != other.compression { return "compression" }
    return storesIndex != other.storesIndex ? "storesIndex" : nil
  }
}

extension URL {
  /// The same place by its one path, which is the same before there is a file and afterwards.
  ///
  /// Foundation follows links only in paths of what exists.
  var withoutLinks: URL {
    var existing = standardizedFileURL
    var missing: [String] = []
    var linkCount = 0
    while existing.pathComponents.count > 1, !FileManager.default.fileExists(atPath: existing.path) {
      // A link in the place of the file that leads to none yet, as the engine follows it. A circle of links is given up.
      if missing.isEmpty, linkCount < 40,
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: existing.path)
      {
        existing =
          URL(fileURLWithPath: target, relativeTo: existing.deletingLastPathComponent()).standardizedFileURL
        linkCount += 1
        continue
      }
      missing.append(existing.lastPathComponent)
      existing.deleteLastPathComponent()
    }
    return missing.reversed().reduce(existing.resolvingSymlinksInPath()) {
      $0.appendingPathComponent($1, isDirectory: false)
    }
  }
}
