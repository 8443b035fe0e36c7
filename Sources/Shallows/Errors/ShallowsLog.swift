import Foundation
import Synchronization

/// Tells of failures that no completion tells: on the standard error, if that is asked for.
public enum ShallowsLog {
  private static let isOn = Atomic(false)

  /// Whether it tells them; it does not unless this is set. Keys and values are never told.
  public static var isEnabled: Bool {
    get { isOn.load(ordering: .relaxed) }
    set { isOn.store(newValue, ordering: .relaxed) }
  }

  /// Tells what a storage failed to do, if the result is a failure.
  @usableFromInline
  static func note(_ result: ShallowsResult<Void>, _ what: String, _ storageName: String) {
    guard isEnabled, case .failure(let error) = result else { return }
    FileHandle.standardError.write(Data("Shallows: \"\(storageName)\" could not \(what): \(error)\n".utf8))
  }
}
