// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import CSedimentInterface
internal import Sediment

@c @implementation
public func sediment_last_error() -> UnsafePointer<sediment_error>? {
  unsafe sediment_failure_kept()
}

@c @implementation
public func sediment_status_name(_ status: Int32) -> UnsafePointer<CChar>? {
  unsafe UnsafeRawPointer(Texts.name(of: status).utf8Start).assumingMemoryBound(to: CChar.self)
}

@c @implementation
public func sediment_version_number() -> UInt32 { UInt32(SEDIMENT_VERSION_NUMBER) }

@c @implementation
public func sediment_version() -> UnsafePointer<CChar>? { unsafe Texts.version.start }

@c @implementation
public func sediment_format_version() -> UnsafePointer<CChar>? { unsafe Texts.format.start }

@c @implementation
public func sediment_zstd_version() -> UnsafePointer<CChar>? { unsafe Texts.zstd.start }

/// Texts that stay as long as the process.
private enum Texts {
  static let version = CText(SedimentVersion.package)
  static let format = CText(SedimentVersion.format)
  static let zstd = CText(SedimentVersion.zstd)

  static func name(of status: Int32) -> StaticString {
    switch sediment_status(status) {
    case SEDIMENT_OK: "ok"
    case SEDIMENT_ABSENT: "absent"
    case SEDIMENT_UNCHANGED: "unchanged"
    case SEDIMENT_SHORT: "short"
    case SEDIMENT_END: "end"
    case SEDIMENT_MISUSE: "misuse"
    case SEDIMENT_CLOSED: "closed"
    case SEDIMENT_BUSY: "busy"
    case SEDIMENT_NO_MEMORY: "noMemory"
    case SEDIMENT_VERSION_MISMATCH: "versionMismatch"
    case SEDIMENT_NOT_FOUND: "notFound"
    case SEDIMENT_EXISTS: "exists"
    case SEDIMENT_FOREIGN: "foreign"
    case SEDIMENT_NEWER: "newer"
    case SEDIMENT_DAMAGED: "damaged"
    case SEDIMENT_OUT_OF_SPACE: "outOfSpace"
    case SEDIMENT_ACCESS_DENIED: "accessDenied"
    case SEDIMENT_EXHAUSTED: "exhausted"
    case SEDIMENT_INPUT_OUTPUT: "inputOutput"
    case SEDIMENT_LOCKED: "locked"
    case SEDIMENT_FORKED: "forked"
    case SEDIMENT_READ_ONLY: "readOnly"
    case SEDIMENT_TOO_LARGE: "tooLarge"
    case SEDIMENT_OUTCOME_UNKNOWN: "outcomeUnknown"
    case SEDIMENT_INVALID_ARGUMENT: "invalidArgument"
    case SEDIMENT_COLLECTION_DROPPED: "collectionDropped"
    case SEDIMENT_CANCELLED: "cancelled"
    case SEDIMENT_FAILED: "failed"
    default: "unknown"
    }
  }
}
