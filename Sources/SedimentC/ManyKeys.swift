// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import CSedimentInterface
internal import Sediment

@c @implementation
public func sediment_get_many(
  _ collection: OpaquePointer?, _ keys: UnsafePointer<sediment_bytes>?, _ count: Int,
  _ values: UnsafeMutablePointer<sediment_bytes>?, _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> sediment_status {
  unsafe using(collection) { (open: OpenCollection) in
    let keys = unsafe try Keys(keys, count)
    let memory = unsafe try required(memory, "memory")
    guard keys.count > 0 else {
      unsafe memory.pointee = nil
      return SEDIMENT_OK
    }
    let values = unsafe try required(values, "values")
    var copies = GrowingBytes()
    // One byte at least, so that an empty value has an address.
    try copies.append(zeros: 1)
    // Where each value lies among the copies, whose memory moves as it grows.
    var ranges: [Range<Int>?] = []
    ranges.reserveCapacity(keys.count)
    try open.keys.withValues(forKeys: keys) { _, value in
      let start = copies.count
      unsafe try value?.withUnsafeBytes { bytes in unsafe try copies.append(bytes) }
      ranges.append(value == nil ? nil : start..<copies.count)
    }
    let start = unsafe copies.take()
    for (number, range) in ranges.enumerated() {
      let place = unsafe range.flatMap { range in
        unsafe start.map { unsafe UnsafeRawPointer($0 + range.lowerBound) }
      }
      unsafe values[number] = sediment_bytes(data: place, size: range?.count ?? 0)
    }
    unsafe memory.pointee = start
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_read_many(
  _ collection: OpaquePointer?, _ keys: UnsafePointer<sediment_bytes>?, _ count: Int,
  _ callback: sediment_values_fn?, _ context: UnsafeMutableRawPointer?
) -> sediment_status {
  unsafe using(collection) { (open: OpenCollection) in
    let keys = unsafe try Keys(keys, count)
    let callback = unsafe try required(callback, "callback")
    do {
      try open.keys.withExpiringValues(forKeys: keys) { number, value, expiry in
        let answer =
          if let value {
            unsafe value.withUnsafeBytes { bytes in
              var bytes = unsafe sediment_bytes(bytes)
              return unsafe callback(context, number, &bytes, expiry.milliseconds)
            }
          } else {
            unsafe callback(context, number, nil, 0)
          }
        if case .stop = try step(answer) { throw Stop() }
      }
    } catch is Stop {}
    return SEDIMENT_OK
  }
}

/// Ends a call whose closure cannot say so otherwise.
private struct Stop: Error {}

/// Keys of the caller's, each of which is a possible one.
@safe
private struct Keys: Sequence, IteratorProtocol {
  let count: Int
  private let keys: UnsafePointer<sediment_bytes>?
  private var next_ = 0

  init(_ keys: UnsafePointer<sediment_bytes>?, _ count: Int) throws(Refusal) {
    guard count >= 0, unsafe count <= Int.max / MemoryLayout<sediment_bytes>.stride,
      unsafe keys != nil || count == 0
    else {
      throw .misuse("keys is null, or count larger than any array. Pass an array with its count.")
    }
    unsafe self.keys = unsafe keys
    self.count = count
    for number in 0..<count {
      _ = unsafe try Bytes(keys![number], "keys[\(number)]", sizeMax: Bytes.keySizeMax)
    }
  }

  var underestimatedCount: Int { count - next_ }

  mutating func next() -> Bytes? {
    guard next_ < count, let keys = unsafe keys else { return nil }
    defer { next_ += 1 }
    return unsafe Bytes(key: keys[next_].data, keys[next_].size)
  }
}
