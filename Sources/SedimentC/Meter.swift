internal import CSedimentInterface
internal import Sediment

/// Tells a callback how far a long call has come, and remembers what it returned against the rules.
@safe
final class Meter {
  private let callback: sediment_progress_fn?
  private let context: UnsafeMutableRawPointer?
  private var refusal: Refusal?

  init(_ callback: sediment_progress_fn?, _ context: UnsafeMutableRawPointer?) {
    unsafe self.callback = unsafe callback
    unsafe self.context = unsafe context
  }

  /// Calls the callback; the call ends if that says so or breaks the rules.
  func tell(_ progress: SedimentProgress) -> SedimentIteration {
    guard let callback = unsafe callback else { return .continue }
    let answer = unsafe callback(context, progress.completedByteCount, progress.totalByteCount)
    do throws(Refusal) {
      return try step(answer)
    } catch {
      refusal = error
      return .stop
    }
  }

  /// Runs a long call; if the callback broke the rules, that is why it failed.
  func watching<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw refusal ?? error
    }
  }
}
