internal import Foundation
internal import Sediment

/// What a failure of a storage means to whom asked.
public enum FailureKind: Sendable, Hashable {
  /// The key has no value: nothing is wrong.
  case noValue
  /// There is a value that could not be read.
  case cannotRead
  /// A value was read that could not be made into what was asked for.
  case cannotDecode
  /// The storage cannot do that.
  case notSupported
  /// Anything else, a failure of a storage or closure of the user's own among them.
  case other
}

/// An error that knows what it means for a storage; for those of one's own storages.
public protocol StorageFailure: Error {
  /// What the failure means.
  var failureKind: FailureKind { get }
}

extension Error {
  /// Whether the key simply has no value.
  public var isNoValue: Bool { storageFailureKind == .noValue }

  /// What the failure means to whom asked a storage.
  ///
  /// Errors of this library, of the engine, of files and of decoders are told apart; others are `other` unless they
  /// conform to `StorageFailure`.
  public var storageFailureKind: FailureKind {
    switch self {
    case let error as any StorageFailure: error.failureKind
    case let error as SedimentError: error.kindForStorages
    case let error as CocoaError: error.kindForStorages
    case is Swift.DecodingError: .cannotDecode
    default: .other
    }
  }
}

extension StorageError: StorageFailure {
  /// What the failure means.
  public var failureKind: FailureKind {
    switch self {
    case .noValue: .noValue
    case .notSupported: .notSupported
    case .wrongResultCount: .other
    }
  }
}

extension SedimentError {
  /// A key without a value is no error of the engine's.
  fileprivate var kindForStorages: FailureKind {
    switch code {
    case .undecodable: .cannotDecode
    case .outOfSpace, .exhausted, .tooLarge, .readOnly, .outcomeUnknown, .invalidArgument, .cancelled: .other
    default: .cannotRead
    }
  }
}

extension CocoaError {
  private static let kindKey = "Shallows.FailureKind"

  /// The same error, which means something else to storages.
  func ofKind(_ kind: FailureKind) -> CocoaError {
    CocoaError(code, userInfo: unsafe userInfo.merging([Self.kindKey: kind]) { $1 })
  }

  fileprivate var kindForStorages: FailureKind {
    if let kind = unsafe userInfo[Self.kindKey] as? FailureKind { return kind }
    switch code {
    case .fileNoSuchFile, .fileReadNoSuchFile: return .noValue
    case .coderReadCorrupt, .coderValueNotFound, .propertyListReadCorrupt: return .cannotDecode
    default: return .cannotRead
    }
  }
}
