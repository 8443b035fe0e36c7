package import Foundation

/// The files of a folder, told apart by whether they have a name in its storage.
package struct FolderContents: Sendable {
  /// The names that are encoded as paths of files, and the files.
  package private(set) var files: [(filename: Filename, url: URL)] = []
  /// What no name is encoded as, and what is no file: it is not the storage's, or is left over from a write that was cut
  /// off.
  package private(set) var others: [URL] = []

  /// Where in `files` those names are that may be written in several ways.
  private var places: [Filename: Int] = [:]

  /// Goes through a folder and its directories, links not followed; a folder that is missing is empty.
  init(of folder: URL, decode: (_ path: String) -> Filename?) throws {
    var directories = [""]
    while let directory = directories.popLast() {
      for name in try folder.names(inDirectory: directory) {
        let path = directory + name
        let url = folder.appendingPathComponent(path, isDirectory: false)
        switch try url.entryType() {
        case nil: continue
        case .typeDirectory?: directories.append(path + "/")
        case .typeRegular?: add(name.isOfUnfinishedWrite ? nil : decode(path), url)
        default: others.append(url)
        }
      }
    }
  }

  private mutating func add(_ filename: Filename?, _ url: URL) {
    guard let filename else { return others.append(url) }
    // Several files may have one name, of which that counts whose name is written as new ones are.
    guard filename.forms.count > 1, let index = places.updateValue(files.count, forKey: filename) else {
      return files.append((filename, url))
    }
    places[filename] = index
    let isNew = filename.rawValue.utf8.elementsEqual(filename.canonical.utf8)
    others.append(isNew ? files[index].url : url)
    if isNew { files[index] = (filename, url) }
  }
}

extension URL {
  /// Removes everything in a directory, which stays; one that is missing is empty.
  func removeContents() throws {
    for name in try names(inDirectory: "") {
      try appendingPathComponent(name, isDirectory: false).removeItem()
    }
  }

  /// The names in a directory below this one; none if it is missing.
  fileprivate func names(inDirectory directory: String) throws -> [String] {
    let url = directory.isEmpty ? self : appendingPathComponent(directory, isDirectory: true)
    do {
      return try FileManager.default.contentsOfDirectory(atPath: url.path)
    } catch let error as CocoaError where error.isNoValue {
      return []
    }
  }
}

extension String {
  /// Whether this is a name that Foundation gives a file until its data is complete.
  ///
  /// It has the number of the process in hexadecimal digits, and six letters or digits. Other names that begin with
  /// `.dat.nosync` may be keys.
  fileprivate var isOfUnfinishedWrite: Bool {
    wholeMatch(of: /\.dat\.nosync[0-9A-Fa-f]+\.[0-9A-Za-z]{6}/) != nil
  }
}
