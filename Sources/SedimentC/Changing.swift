// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import CSedimentInterface
internal import Sediment

@c @implementation
public func sediment_set(
  _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int, _ value: UnsafeRawPointer?,
  _ valueSize: Int, _ change: UnsafePointer<sediment_change>?
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  guard let valueBytes = unsafe Bytes(value: value, valueSize) else {
    return unsafe impossibleValue(value, valueSize)
  }
  // Written out, since closures that are not inlined take 40 instructions more.
  guard let slot = unsafe enter(UnsafeRawPointer(collection), OpenCollection.self) else {
    return unsafe refused(UnsafeRawPointer(collection), OpenCollection.self, #function)
  }
  defer { unsafe leave(slot) }
  return unsafe Unmanaged<OpenCollection>.fromOpaque(sediment_handle_object(slot))._withUnsafeGuaranteedRef {
    open in
    do {
      if let change = unsafe change {
        unsafe try set(valueBytes, keyBytes, open.keys, change)
      } else {
        try open.keys.set(valueBytes, forKey: keyBytes)
      }
      return SEDIMENT_OK
    } catch {
      return failed(error)
    }
  }
}

@inline(never)
private func set(
  _ value: Bytes, _ key: Bytes, _ keys: SedimentCollection, _ change: UnsafePointer<sediment_change>
) throws {
  let change = unsafe try WrittenChange(change)
  try keys.set(value, forKey: key, expiry: change.expiry ?? .never, durability: change.durability)
}

@c @implementation
public func sediment_set_if_absent(
  _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int, _ value: UnsafeRawPointer?,
  _ valueSize: Int, _ change: UnsafePointer<sediment_change>?
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  guard let valueBytes = unsafe Bytes(value: value, valueSize) else {
    return unsafe impossibleValue(value, valueSize)
  }
  return unsafe using(collection) { (open: OpenCollection) in
    let change = unsafe try change.map { unsafe try WrittenChange($0) }
    let isSet = try open.keys.setIfAbsent(
      valueBytes, forKey: keyBytes, expiry: change?.expiry ?? .never, durability: change?.durability)
    return isSet ? SEDIMENT_OK : SEDIMENT_UNCHANGED
  }
}

@c @implementation
public func sediment_compare_and_set(
  _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int,
  _ expected: UnsafePointer<sediment_bytes>?, _ value: UnsafePointer<sediment_bytes>?,
  _ change: UnsafePointer<sediment_change>?
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  return unsafe using(collection) { (open: OpenCollection) in
    let expected = unsafe try expected.map { unsafe try Bytes($0.pointee, "expected") }
    let value = unsafe try value.map { unsafe try Bytes($0.pointee, "value") }
    let change = unsafe try change.map { unsafe try WrittenChange($0) }
    let isSet = try open.keys.compareAndSet(
      forKey: keyBytes, expected: expected, new: value, expiry: change?.expiry ?? .unchanged,
      durability: change?.durability)
    return isSet ? SEDIMENT_OK : SEDIMENT_UNCHANGED
  }
}

@c @implementation
public func sediment_update(
  _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int,
  _ change: UnsafePointer<sediment_change>?, _ callback: sediment_update_fn?,
  _ context: UnsafeMutableRawPointer?
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  return unsafe using(collection) { (open: OpenCollection) in
    let callback = unsafe try required(callback, "callback")
    let change = unsafe try change.map { unsafe try WrittenChange($0) }
    try open.keys.update(
      forKey: keyBytes, expiry: change?.expiry ?? .unchanged, durability: change?.durability
    ) { old in
      unsafe try updated(old, callback, context)
    }
    return SEDIMENT_OK
  }
}

/// What a callback makes of a value; nil for none.
private func updated(
  _ old: [UInt8]?, _ callback: sediment_update_fn, _ context: UnsafeMutableRawPointer?
) throws -> [UInt8]? {
  var new = unsafe sediment_bytes(data: nil, size: 0)
  let answer =
    if let old {
      unsafe old.withUnsafeBytes { bytes in
        var old = unsafe sediment_bytes(bytes)
        return unsafe callback(context, &old, &new)
      }
    } else {
      unsafe callback(context, nil, &new)
    }
  switch answer {
  case Int32(SEDIMENT_UPDATE_SET.rawValue):
    return unsafe [UInt8](try Bytes(new, "the value of the callback").buffer)
  case Int32(SEDIMENT_UPDATE_REMOVE.rawValue):
    return nil
  case Int32(SEDIMENT_UPDATE_CANCEL.rawValue):
    throw Refusal(
      status: SEDIMENT_CANCELLED, message: "The callback cancelled the update. Nothing was changed.")
  default:
    throw Refusal.misuse("The callback returned \(answer). It may return what sediment_update_step names.")
  }
}

@c @implementation
public func sediment_remove(
  _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int,
  _ change: UnsafePointer<sediment_change>?
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  return unsafe using(collection) { (open: OpenCollection) in
    let durability = unsafe try WrittenChange.durability(change)
    return try open.keys.remove(forKey: keyBytes, durability: durability) ? SEDIMENT_OK : SEDIMENT_ABSENT
  }
}

@c @implementation
public func sediment_remove_all(
  _ collection: OpaquePointer?, _ change: UnsafePointer<sediment_change>?
) -> sediment_status {
  unsafe using(collection) { (open: OpenCollection) in
    unsafe try open.keys.removeAll(durability: WrittenChange.durability(change))
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_set_expiry(
  _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int,
  _ change: UnsafePointer<sediment_change>?
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  return unsafe using(collection) { (open: OpenCollection) in
    let change = unsafe try WrittenChange(try required(change, "change"))
    guard let expiry = change.expiry else {
      throw Refusal.misuse("change.expiry is SEDIMENT_EXPIRY_DEFAULT. Say when the value is to expire.")
    }
    let isThere = try open.keys.setExpiry(expiry, forKey: keyBytes, durability: change.durability)
    return isThere ? SEDIMENT_OK : SEDIMENT_ABSENT
  }
}
