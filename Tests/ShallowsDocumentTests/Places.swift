import Foundation
import Shallows

extension Place {
  /// One file for all keys, where a program changes a word.
  static let log = Place(name: "log") { folder in
    SedimentStorage(url: folder.appendingPathExtension("sediment")).asStorage()
  }

  static let all = [folder, log]
}
