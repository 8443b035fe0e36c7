import Foundation
import Synchronization

/// Tells of failures that no completion tells: on the standard error, if that is asked for.
public enum ShallowsLog {
  private static let isOn = Atomic(false)
  private static let output = Mutex<@Sendable (String) -> Void>(writeToStandardError)

  /// Whether it tells them; it does not unless this is set.
  ///
  /// Keys and values are never told.
  public static var isEnabled: Bool {
    get { isOn.load(ordering: .relaxed) }
    set { isOn.store(newValue, ordering: .relaxed) }
  }

  /// Tells what a storage failed to do, if the result is a failure.
  @usableFromInline
  static func note(_ result: ShallowsResult<Void>, _ what: String, _ storageName: String) {
    guard case .failure(let error) = result else { return }
    write("\"\(storageName)\" could not \(what): \(error)")
  }

  /// Tells a message, which is only made if it is told.
  package static func write(_ message: @autoclosure () -> String) {
    guard isEnabled else { return }
    output.withLock { $0 }(message())
  }

  /// Where messages go from now on, nil for the standard error; for tests.
  package static func send(to newOutput: (@Sendable (String) -> Void)?) {
    output.withLock { $0 = newOutput ?? writeToStandardError }
  }

  private static func writeToStandardError(_ message: String) {
    FileHandle.standardError.write(Data("Shallows: \(message)\n".utf8))
  }
}
