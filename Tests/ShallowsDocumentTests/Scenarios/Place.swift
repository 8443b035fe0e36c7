import Foundation
import Shallows

/// Where a program keeps its files: the scenarios are the same for all of them.
struct Place {
  let name: String
  /// A storage that is made anew, as after a start of the program.
  let open: (_ folder: URL) -> Storage<Filename, Data>

  /// A file for each key, as programs have always had them.
  static let folder = Place(name: "folder") {
    DiskFolderStorage(folderURL: $0, filenameEncoder: .base64URL).asStorage()
  }
}

extension Place: CustomStringConvertible {
  var description: String { name }
}

/// A folder for one test, which is removed at the end.
final class Scratch {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("scenario-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// What a program has printed, from whatever thread.
final class Transcript {
  private let lock = NSLock()
  private var all: [String] = []

  func say(_ line: String) { lock.withLock { all.append(line) } }

  var lines: [String] { lock.withLock { all } }

  /// What was printed since the last call.
  func takeLines() -> [String] {
    lock.withLock {
      defer { all = [] }
      return all
    }
  }
}

/// What calls are still under way.
extension DispatchGroup {
  /// A completion that tells of its call, too.
  func entered<Value>(_ completion: @escaping (Result<Value, Error>) -> Void) -> (Result<Value, Error>) ->
    Void
  {
    enter()
    return { result in
      completion(result)
      self.leave()
    }
  }
}

struct Oops: Error, Equatable {
  var name = ""
}
