import Foundation

extension StorageExpiry {
  /// Whichever comes first; what is told from now is counted from now.
  @usableFromInline
  static func sooner(_ one: StorageExpiry, _ other: StorageExpiry) -> StorageExpiry {
    guard let end = one.end else { return other }
    guard let otherEnd = other.end else { return one }
    return end <= otherEnd ? one : other
  }

  /// The same, told as a time, so that it means the same however long it takes to be set.
  @usableFromInline
  var absolute: StorageExpiry {
    guard case .after = self, let end else { return self }
    return .at(end)
  }

  private var end: Date? {
    switch self {
    case .never: nil
    case .after(let duration): Date(timeIntervalSinceNow: duration / .seconds(1))
    case .at(let date): date
    }
  }
}
