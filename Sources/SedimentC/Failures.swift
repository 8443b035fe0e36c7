internal import CSedimentInterface
internal import Sediment

/// Why a call is refused or has failed, where it is not the engine that says so.
struct Refusal: Error {
  let status: sediment_status
  let message: String

  /// An argument that breaks the rules of the header.
  static func misuse(_ message: String) -> Refusal { Refusal(status: SEDIMENT_MISUSE, message: message) }

  static let noMemory = Refusal(
    status: SEDIMENT_NO_MEMORY, message: "There is no memory for the result. Free some and try again.")
}

/// The status of a call of a function that failed, whose failure is kept for `sediment_last_error`.
@inline(never)
func failed(_ error: any Error, _ function: StaticString = #function) -> sediment_status {
  unsafe withFailure(error, function) { failure in
    unsafe sediment_failure_keep(failure)
    return unsafe sediment_status(failure.pointee.status)
  }
}

/// Refuses a call for an argument that breaks the rules of the header.
@inline(never)
func misuse(_ message: String, _ function: StaticString = #function) -> sediment_status {
  failed(Refusal.misuse(message), function)
}

/// Lends a failure, as C sees it, to a closure.
func withFailure<Result>(
  _ error: any Error, _ function: StaticString, _ body: (UnsafePointer<sediment_error>) -> Result
) -> Result {
  let engine = error as? SedimentError
  let refusal = error as? Refusal
  let name = "\(function)".prefix { $0 != "(" }
  let message = engine?.message ?? "\(name): \(refusal?.message ?? "\(error)")"
  let description = engine?.description ?? message
  let status = engine.map(\.status) ?? refusal?.status ?? SEDIMENT_FAILED
  return unsafe message.withCString { message in
    unsafe (engine?.path ?? "").withCString { path in
      unsafe description.withCString { description in
        var failure = unsafe sediment_error(
          size: MemoryLayout<sediment_error>.size, status: status.rawValue,
          system_error: engine?.systemError?.number ?? 0, has_offset: engine?.offset == nil ? 0 : 1,
          reserved: 0,
          offset: engine?.offset ?? 0, message: message, path: path, description: description)
        return unsafe body(&failure)
      }
    }
  }
}

extension SedimentError {
  /// The status of the error.
  var status: sediment_status {
    switch code {
    case .notFound: SEDIMENT_NOT_FOUND
    case .exists: SEDIMENT_EXISTS
    case .foreign: SEDIMENT_FOREIGN
    case .newer: SEDIMENT_NEWER
    case .damaged: SEDIMENT_DAMAGED
    case .outOfSpace: SEDIMENT_OUT_OF_SPACE
    case .accessDenied: SEDIMENT_ACCESS_DENIED
    case .exhausted: SEDIMENT_EXHAUSTED
    case .inputOutput: SEDIMENT_INPUT_OUTPUT
    case .closed: SEDIMENT_CLOSED
    case .locked: SEDIMENT_LOCKED
    case .forked: SEDIMENT_FORKED
    case .readOnly: SEDIMENT_READ_ONLY
    case .tooLarge: SEDIMENT_TOO_LARGE
    case .outcomeUnknown: SEDIMENT_OUTCOME_UNKNOWN
    case .invalidArgument: SEDIMENT_INVALID_ARGUMENT
    case .collectionDropped: SEDIMENT_COLLECTION_DROPPED
    case .cancelled: SEDIMENT_CANCELLED
    default: SEDIMENT_FAILED
    }
  }
}
