internal import CSedimentInterface
internal import Sediment

/// How a change is made, as a structure of the caller's says it.
struct WrittenChange {
  /// Nil for that of the store.
  var durability: SedimentDurability?
  /// Nil for what the call means by default.
  var expiry: SedimentExpiry?

  /// What of a change a call takes.
  struct Parts: OptionSet {
    let rawValue: Int

    static let durability = Parts(rawValue: 1)
    static let expiry = Parts(rawValue: 2)
  }

  /// Reads a structure, which is not null: calls without one should not come here.
  @inline(never)
  init(_ change: UnsafePointer<sediment_change>, taking parts: Parts = [.durability, .expiry]) throws(Refusal)
  {
    unsafe try checkSize(sediment_change.self, change.pointee.size, "change")
    let change = unsafe change.pointee
    durability = try SedimentDurability(change.durability, interval: change.interval, "change")
    expiry = try Self.expiry(change)
    guard durability == nil || parts.contains(.durability) else {
      throw .misuse(
        "change.durability is set, which this call does not take. Set it where the batch is committed.")
    }
    guard expiry == nil || parts.contains(.expiry) else {
      throw .misuse("change.expiry is set, which this call does not take. Set it to SEDIMENT_EXPIRY_DEFAULT.")
    }
  }

  /// The durability of a change that takes nothing else; null stands for the defaults.
  @inline(__always)
  static func durability(_ change: UnsafePointer<sediment_change>?) throws(Refusal) -> SedimentDurability? {
    guard let change = unsafe change else { return nil }
    return unsafe try WrittenChange(change, taking: .durability).durability
  }

  private static func expiry(_ change: sediment_change) throws(Refusal) -> SedimentExpiry? {
    let time = change.expiry_time
    switch change.expiry {
    case Int32(SEDIMENT_EXPIRY_AFTER.rawValue): return .after(.milliseconds(time))
    case Int32(SEDIMENT_EXPIRY_AT.rawValue):
      guard time > 0 else { throw .misuse("change.expiry_time is \(time). Set at least 1.") }
      return .at(milliseconds: UInt64(time))
    default: break
    }
    guard time == 0 else {
      throw .misuse("change.expiry_time is set, and change.expiry takes none. Set it to 0.")
    }
    switch change.expiry {
    case Int32(SEDIMENT_EXPIRY_DEFAULT.rawValue): return nil
    case Int32(SEDIMENT_EXPIRY_NEVER.rawValue): return .never
    case Int32(SEDIMENT_EXPIRY_UNCHANGED.rawValue): return .unchanged
    case let other: throw .unknown("change.expiry", other)
    }
  }
}
