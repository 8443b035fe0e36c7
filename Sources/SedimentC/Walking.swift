// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import CSedimentInterface
internal import Sediment

@c @implementation
public func sediment_each(
  _ collection: OpaquePointer?, _ prefix: UnsafeRawPointer?, _ prefixSize: Int, _ flags: UInt32,
  _ callback: sediment_entry_fn?, _ context: UnsafeMutableRawPointer?
) -> sediment_status {
  unsafe using(collection) { (open: OpenCollection) in
    let prefix = unsafe try Bytes(
      sediment_bytes(data: prefix, size: prefixSize), "prefix", sizeMax: Bytes.keySizeMax)
    try checkFlags(flags, among: SEDIMENT_KEYS_ONLY.rawValue)
    let entries = unsafe Entries(callback: try required(callback, "callback"), context: context)
    if flags & SEDIMENT_KEYS_ONLY.rawValue != 0 {
      try open.keys.forEachKey(withPrefix: prefix) { key in try entries.tell(key, nil) }
    } else if unsafe prefix.buffer.isEmpty {
      try open.keys.forEach { key, value in try entries.tell(key, value) }
    } else {
      try open.keys.forEachKey(withPrefix: prefix) { key in
        // Nil if it was removed meanwhile.
        try open.keys.withValue(forKey: key) { value in try entries.tell(key, value) } ?? .continue
      }
    }
    return SEDIMENT_OK
  }
}

/// Whom to tell of keys and values.
@safe
private struct Entries {
  let callback: sediment_entry_fn
  let context: UnsafeMutableRawPointer?

  func tell(_ key: RawSpan, _ value: RawSpan?) throws(Refusal) -> SedimentIteration {
    let answer = unsafe key.withUnsafeBytes { key in
      var key = unsafe sediment_bytes(key)
      guard let value else { return unsafe callback(context, &key, nil) }
      return unsafe value.withUnsafeBytes { value in
        var value = unsafe sediment_bytes(value)
        return unsafe callback(context, &key, &value)
      }
    }
    return try step(answer)
  }
}

/// What the handle of an iteration leads to.
final class OpenIteration: HandleObject {
  static let kind: UInt32 = 4
  static let kindName: StaticString = "an iteration"

  private let cursor: Exclusive<Cursor>

  init(_ cursor: consuming Cursor) {
    self.cursor = Exclusive(cursor)
  }

  /// Lends the cursor to a closure, if nobody else has it.
  func use<Result>(_ body: (inout Cursor) throws -> Result) throws -> Result {
    try cursor.use(Self.kindName, body)
  }
}

@c @implementation
public func sediment_iterate(
  _ collection: OpaquePointer?, _ prefix: UnsafeRawPointer?, _ prefixSize: Int, _ flags: UInt32,
  _ iteration: UnsafeMutablePointer<OpaquePointer?>?
) -> sediment_status {
  unsafe using(collection) { (open: OpenCollection) in
    let prefix = unsafe try Bytes(
      sediment_bytes(data: prefix, size: prefixSize), "prefix", sizeMax: Bytes.keySizeMax)
    try checkFlags(flags, among: SEDIMENT_KEYS_ONLY.rawValue | SEDIMENT_SORTED.rawValue)
    let iteration = unsafe try required(iteration, "iteration")
    let cursor = unsafe try Cursor(
      open.keys, prefix: [UInt8](prefix.buffer), isSorted: flags & SEDIMENT_SORTED.rawValue != 0,
      hasValues: flags & SEDIMENT_KEYS_ONLY.rawValue == 0)
    unsafe iteration.pointee = OpaquePointer(try makeHandle(OpenIteration(cursor)))
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_iteration_next(
  _ iteration: OpaquePointer?, _ key: UnsafeMutablePointer<sediment_bytes>?,
  _ value: UnsafeMutablePointer<sediment_bytes>?
) -> sediment_status {
  unsafe using(iteration) { (open: OpenIteration) in
    let key = unsafe try required(key, "key")
    let isThere = try open.use { cursor in
      guard try cursor.advance() else { return false }
      unsafe key.pointee = sediment_bytes(cursor.key)
      if let value = unsafe value {
        unsafe value.pointee =
          cursor.hasValues ? sediment_bytes(cursor.value) : sediment_bytes(data: nil, size: 0)
      }
      return true
    }
    return isThere ? SEDIMENT_OK : SEDIMENT_END
  }
}

@c @implementation
public func sediment_iteration_end(_ iteration: OpaquePointer?) -> sediment_status {
  unsafe closing(UnsafeRawPointer(iteration)) { (open: OpenIteration, end) in
    try open.use { _ in try end() }
    return SEDIMENT_OK
  }
}
