internal import Foundation

extension ArchivePlace {
  /// Saves what uses are not in the files yet when the program ends by returning or by `exit`; set up by being asked
  /// for.
  static let savesAtExit: Void = {
    atexit { ArchivePlace.saveUsesAtExit() }
  }()

  private static func saveUsesAtExit() {
    let patience = Date(timeIntervalSinceNow: 1)
    for shelf in shelvesInUse(until: patience) { shelf.saveUsesAtExit(until: patience) }
  }
}

extension ArchiveShelf {
  /// Writes all uses that are not in the file yet, without waiting for ever: other threads go on, and one that holds the
  /// lock may wait for the thread that ends the program.
  fileprivate func saveUsesAtExit(until patience: Date) {
    guard lock.lock(before: patience) else { return }
    defer { lock.unlock() }
    // What fails here cannot be told to anybody; uses of the last second are lost then.
    try? saveAllUses()
  }
}
