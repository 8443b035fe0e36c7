// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import CSedimentInterface
internal import Sediment

@c @implementation
public func sediment_read(
  _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int, _ callback: sediment_value_fn?,
  _ context: UnsafeMutableRawPointer?
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  guard let callback = unsafe callback else { return misuse("callback is null. Pass one.") }
  // Written out, since closures that are not inlined take 30 instructions more.
  guard let slot = unsafe enter(UnsafeRawPointer(collection), OpenCollection.self) else {
    return unsafe refused(UnsafeRawPointer(collection), OpenCollection.self, #function)
  }
  defer { unsafe leave(slot) }
  return unsafe Unmanaged<OpenCollection>.fromOpaque(sediment_handle_object(slot))._withUnsafeGuaranteedRef {
    open in
    do {
      let found: Void? = unsafe try open.keys.withExpiringValue(forKey: keyBytes) { value, expiry in
        unsafe callback(context, value.baseAddress, value.count, expiry)
      }
      return found == nil ? SEDIMENT_ABSENT : SEDIMENT_OK
    } catch {
      return failed(error)
    }
  }
}

@c @implementation
public func sediment_get(
  _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int, _ buffer: UnsafeMutableRawPointer?,
  _ bufferSize: Int, _ valueSize: UnsafeMutablePointer<Int>?
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  guard let valueSize = unsafe valueSize else {
    return misuse("value_size is null. Pass a pointer to a size.")
  }
  guard bufferSize >= 0, unsafe buffer != nil || bufferSize == 0 else {
    return misuse(
      "buffer is null, or buffer_size larger than any buffer. Pass a buffer with its size, or none and 0.")
  }
  return unsafe using(collection) { (open: OpenCollection) in
    let status = unsafe try open.keys.copyValue(forKey: keyBytes) { value in
      unsafe valueSize.pointee = value.count
      guard value.count <= bufferSize else { return SEDIMENT_SHORT }
      if let start = value.baseAddress, let buffer = unsafe buffer {
        unsafe buffer.copyMemory(from: start, byteCount: value.count)
      }
      return SEDIMENT_OK
    }
    return status ?? SEDIMENT_ABSENT
  }
}

@c @implementation
public func sediment_get_copy(
  _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int,
  _ value: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ valueSize: UnsafeMutablePointer<Int>?
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  return unsafe using(collection) { (open: OpenCollection) in
    let target = unsafe try required(value, "value")
    let valueSize = unsafe try required(valueSize, "value_size")
    let found: Void? = unsafe try open.keys.copyValue(forKey: keyBytes) { value in
      var copy = GrowingBytes()
      unsafe try copy.append(value)
      let byteCount = copy.count
      try copy.append(zeros: 1)
      unsafe valueSize.pointee = byteCount
      unsafe target.pointee = copy.take()
    }
    return found == nil ? SEDIMENT_ABSENT : SEDIMENT_OK
  }
}

@c @implementation
public func sediment_contains(
  _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  return unsafe using(collection) { (open: OpenCollection) in
    try open.keys.contains(keyBytes) ? SEDIMENT_OK : SEDIMENT_ABSENT
  }
}

@c @implementation
public func sediment_count(
  _ collection: OpaquePointer?, _ count: UnsafeMutablePointer<UInt64>?
) -> sediment_status {
  unsafe using(collection) { (open: OpenCollection) in
    let count = unsafe try required(count, "count")
    unsafe count.pointee = UInt64(clamping: try open.keys.count())
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_get_expiry(
  _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int,
  _ expiresAt: UnsafeMutablePointer<UInt64>?
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  return unsafe using(collection) { (open: OpenCollection) in
    let expiresAt = unsafe try required(expiresAt, "expires_at")
    guard let expiry = try open.keys.expiry(forKey: keyBytes) else { return SEDIMENT_ABSENT }
    unsafe expiresAt.pointee = expiry.milliseconds
    return SEDIMENT_OK
  }
}

extension SedimentExpiry {
  /// The time of an expiry that was read, 0 for never.
  var milliseconds: UInt64 {
    if case .at(let milliseconds) = self { milliseconds } else { 0 }
  }
}
