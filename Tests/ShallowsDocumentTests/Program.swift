import Foundation
import Shallows

/// A program as users of some version wrote it.
///
/// Much of what they wrote is deprecated by now. A function that is deprecated itself may use it, and this protocol lets
/// that function be called, both without a warning.
protocol Program {
  func run() throws
}

/// Folders in directories of the system's, which are removed at the end with those that were made for them.
final class SystemFolders {
  private let mark = UUID().uuidString
  private var urls: [URL] = []
  private var missing: [URL] = []

  /// A name that nobody else has, for a folder in a directory.
  func name(_ name: String, in directory: FileManager.SearchPathDirectory) -> String {
    let name = "\(name)-\(mark)"
    let url = DiskFolderStorage.url(forFolder: name, in: directory)
    urls.append(url)
    var parent = url.deletingLastPathComponent()
    while parent.path != "/", !FileManager.default.fileExists(atPath: parent.path) {
      missing.append(parent)
      parent.deleteLastPathComponent()
    }
    return name
  }

  deinit {
    for url in urls { try? FileManager.default.removeItem(at: url) }
    // Only what is empty goes: others may have come to use it.
    for url in missing { rmdir(url.path) }
  }
}

/// Stands for the images that the documents show.
struct Image: Equatable {
  var pixels: [UInt8]

  init(pixels: [UInt8]) { self.pixels = pixels }

  /// Data with a mark at its beginning is an image.
  init?(data: Data) {
    guard data.first == 0x89 else { return nil }
    pixels = Array(data.dropFirst())
  }
}

func imageRepresentation(_ image: Image) -> Data? {
  image.pixels.isEmpty ? nil : Data([0x89] + image.pixels)
}

/// What one completion is given, waited for.
func result<Value>(of call: (@escaping (Result<Value, Error>) -> Void) -> Void) -> Result<Value, Error> {
  let semaphore = DispatchSemaphore(value: 0)
  var given: Result<Value, Error>?
  call {
    given = $0
    semaphore.signal()
  }
  semaphore.wait()
  // It was told of with the signal.
  return given ?? .failure(CancellationError())
}
