internal import Foundation
internal import Synchronization

/// Whom a factory tells of failures: its observer, or as long as there is none, standard error.
final class FailureObserver: Sendable {
  private let closure = Mutex<(@Sendable (VellumFailure) -> Void)?>(nil)

  var observe: (@Sendable (VellumFailure) -> Void)? {
    get { closure.withLock { $0 } }
    set {
      // What the one before holds ends without the lock.
      let before = closure.withLock { closure in
        let before = closure
        closure = newValue
        return before
      }
      withExtendedLifetime(before) {}
    }
  }

  func tell(_ failure: VellumFailure) {
    if let observe {
      observe(failure)
    } else {
      // A program that has closed its standard error goes on.
      try? FileHandle.standardError.write(contentsOf: Data("Vellum: \(failure.line)\n".utf8))
    }
  }

  /// Does something, and tells of it if it fails; nil then.
  @discardableResult
  func reporting<Result>(
    _ name: String, _ operation: VellumFailure.Operation, _ body: () throws -> Result
  ) -> Result? {
    do {
      return try body()
    } catch {
      tell(VellumFailure(archiveName: name, operation: operation, error: .store(name, error)))
      return nil
    }
  }
}
