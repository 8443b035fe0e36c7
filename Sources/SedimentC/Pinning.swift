// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import CSedimentInterface
internal import Sediment

extension PinnedValue: HandleObject {
  static let kind: UInt32 = 5
  static let kindName: StaticString = "a pinned value"
}

@c @implementation
public func sediment_pin(
  _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int,
  _ pinned: UnsafeMutablePointer<sediment_pinned>?
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  return unsafe using(collection) { (open: OpenCollection) in
    let pinned = unsafe try required(pinned, "pinned")
    guard
      let value = try keyBytes.withSedimentBytes({ (key) throws(SedimentError) in try open.keys.pin(key) })
    else { return SEDIMENT_ABSENT }
    let bytes = unsafe sediment_bytes(value.bytes)
    let token = unsafe try makeHandle(value)
    unsafe pinned.pointee = sediment_pinned(
      data: bytes.data, size: bytes.size, expires_at: value.expiry, token: UInt(bitPattern: token))
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_unpin(_ pinned: UnsafeMutablePointer<sediment_pinned>?) -> sediment_status {
  guard let pinned = unsafe pinned else {
    return misuse("pinned is null. Pass what sediment_pin has filled.")
  }
  let handle = unsafe UnsafeRawPointer(bitPattern: pinned.pointee.token)
  return unsafe closing(handle) { (_: PinnedValue, end) in
    try end()
    unsafe pinned.pointee = sediment_pinned(data: nil, size: 0, expires_at: 0, token: 0)
    return SEDIMENT_OK
  }
}
