package import Foundation
package import Sediment
import Synchronization

/// A store that several in this process use; it is closed when the last of them has gone.
package final class SharedStore: Sendable {
  package let store: SedimentStore
  private let file: SharedFile

  private init(_ store: SedimentStore, _ file: SharedFile) {
    self.store = store
    self.file = file
  }

  deinit { file.leave() }

  /// The store of a file: the one that is open in this process, or opened now.
  package static func open(_ url: URL, _ options: SedimentOptions) throws -> SharedStore {
    let file = SharedFile.file(at: url)
    return SharedStore(try file.enter(options), file)
  }
}

/// A file that stores are shared of: how many use it, and the store while somebody does.
private final class SharedFile: Sendable {
  private struct State {
    var store: SedimentStore?
    var userCount = 0
  }

  /// By the bytes of their paths: texts that are equal, since they look alike, may name different files.
  private static let files = Mutex<[[UInt8]: SharedFile]>([:])

  private let url: URL
  private let state = Mutex(State())

  private init(_ url: URL) { self.url = url }

  /// The one of a path, whatever ways there are to write it.
  static func file(at url: URL) -> SharedFile {
    let url = url.withoutLinks
    let path = [UInt8](url.path.utf8)
    return files.withLock { files in
      if let file = files[path] { return file }
      let file = SharedFile(url)
      files[path] = file
      return file
    }
  }

  /// The open store; opening and closing wait for each other, so that the file's lock is never in one's own way.
  func enter(_ options: SedimentOptions) throws -> SedimentStore {
    try state.withLock { state in
      let store = try state.store ?? SedimentStore(url: url, options: options)
      state.store = store
      state.userCount += 1
      return store
    }
  }

  func leave() {
    state.withLock { state in
      state.userCount -= 1
      guard state.userCount == 0 else { return }
      // What fails here has been told to the store's observer, and loses nothing: recovery does what closing could not.
      try? state.store?.close()
      state.store = nil
    }
  }
}

extension URL {
  /// The same place by its one path, which is the same before there is a file and afterwards.
  ///
  /// Foundation follows links only in paths of what exists.
  fileprivate var withoutLinks: URL {
    var existing = standardizedFileURL
    var missing: [String] = []
    while existing.pathComponents.count > 1, !FileManager.default.fileExists(atPath: existing.path) {
      missing.append(existing.lastPathComponent)
      existing.deleteLastPathComponent()
    }
    return missing.reversed().reduce(existing.resolvingSymlinksInPath()) {
      $0.appendingPathComponent($1, isDirectory: false)
    }
  }
}
