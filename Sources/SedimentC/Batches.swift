// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import CSedimentInterface
internal import Sediment

/// What the handle of a batch leads to.
final class OpenBatch: HandleObject {
  static let kind: UInt32 = 3
  static let kindName: StaticString = "a batch"

  private let members: Exclusive<Members>

  private struct Members: ~Copyable {
    var batch: SedimentBatch
    /// Why the batch can only be abandoned, if something was refused that was to be in it.
    var failure: (any Error)?
  }

  init(_ store: SedimentStore) {
    members = Exclusive(Members(batch: SedimentBatch(store)))
  }

  /// Adds a change of a collection; what that fails by, the commit fails by, unless it is misuse.
  @inline(__always)
  func add(
    to collection: OpaquePointer?, _ body: (inout SedimentBatch, SedimentCollection) throws -> Void
  ) throws -> sediment_status {
    try members.use(Self.kindName) { members in
      do {
        try unsafe lending(collection) { (open: OpenCollection) in
          // The handle of the one without a name ends with the store.
          if !open.isDefault { try open.keys.checkUsable() }
          try body(&members.batch, open.keys)
        }
        if let failure = members.batch.failure { throw failure }
      } catch {
        if members.failure == nil, (error as? Refusal)?.status != SEDIMENT_MISUSE { members.failure = error }
        throw error
      }
      if let failure = members.failure { throw failure }
    }
    return SEDIMENT_OK
  }

  /// Makes the changes once a closure has ended the handle.
  func commit(_ durability: SedimentDurability?, _ end: () throws(Refusal) -> Void) throws {
    try members.use(Self.kindName) { members in
      try end()
      if let failure = members.failure { throw failure }
      try members.batch.commit(durability: durability)
    }
  }

  /// Calls a closure that ends the handle, if nobody uses the batch.
  func abandon(_ end: () throws(Refusal) -> Void) throws {
    try members.use(Self.kindName) { _ in try end() }
  }
}

@c @implementation
public func sediment_batch_begin(
  _ store: OpaquePointer?, _ batch: UnsafeMutablePointer<OpaquePointer?>?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let batch = unsafe try required(batch, "batch")
    try open.store.checkUsable()
    unsafe batch.pointee = OpaquePointer(try makeHandle(OpenBatch(open.store)))
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_batch_set(
  _ batch: OpaquePointer?, _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int,
  _ value: UnsafeRawPointer?, _ valueSize: Int, _ change: UnsafePointer<sediment_change>?
) -> sediment_status {
  unsafe using(batch) { (open: OpenBatch) in
    unsafe try open.add(to: collection) { batch, keys in
      let keyBytes = unsafe try Bytes(
        sediment_bytes(data: key, size: keySize), "key", sizeMax: Bytes.keySizeMax)
      let valueBytes = unsafe try Bytes(sediment_bytes(data: value, size: valueSize), "value")
      let expiry = unsafe try change.map { unsafe try WrittenChange($0, taking: .expiry) }?.expiry ?? .never
      if case .unchanged = expiry {
        throw Refusal.misuse(
          "change.expiry is SEDIMENT_EXPIRY_UNCHANGED, which no batch takes. Set another one.")
      }
      keyBytes.withSedimentBytes { key in
        valueBytes.withSedimentBytes { value in batch.set(value, forKey: key, in: keys, expiry: expiry) }
      }
    }
  }
}

@c @implementation
public func sediment_batch_remove(
  _ batch: OpaquePointer?, _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int
) -> sediment_status {
  unsafe using(batch) { (open: OpenBatch) in
    unsafe try open.add(to: collection) { batch, keys in
      let keyBytes = unsafe try Bytes(
        sediment_bytes(data: key, size: keySize), "key", sizeMax: Bytes.keySizeMax)
      batch.remove(forKey: keyBytes, in: keys)
    }
  }
}

@c @implementation
public func sediment_batch_commit(
  _ batch: OpaquePointer?, _ change: UnsafePointer<sediment_change>?
) -> sediment_status {
  unsafe closing(UnsafeRawPointer(batch)) { (open: OpenBatch, end) in
    unsafe try open.commit(WrittenChange.durability(change), end)
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_batch_abandon(_ batch: OpaquePointer?) -> sediment_status {
  unsafe closing(UnsafeRawPointer(batch)) { (open: OpenBatch, end) in
    try open.abandon(end)
    return SEDIMENT_OK
  }
}
