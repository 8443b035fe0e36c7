// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import CSedimentInterface
internal import Sediment

/// What the handle of a batch leads to.
final class OpenBatch: HandleObject {
  static let kind: UInt32 = 3
  static let kindName: StaticString = "a batch"

  private let batch: Exclusive<SedimentBatch>

  init(_ store: SedimentStore) {
    batch = Exclusive(SedimentBatch(store))
  }

  /// Lends the batch to a closure, if nobody else has it.
  func use(_ body: (inout SedimentBatch) throws -> Void) throws {
    try batch.use(Self.kindName, body)
  }

  /// Adds to the batch; throws what is wrong with it.
  func add(_ body: (inout SedimentBatch) -> Void) throws -> sediment_status {
    try use { batch in
      body(&batch)
      if let failure = batch.failure { throw failure }
    }
    return SEDIMENT_OK
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
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  guard let valueBytes = unsafe Bytes(value: value, valueSize) else {
    return unsafe impossibleValue(value, valueSize)
  }
  return unsafe using(batch) { (members: OpenBatch) in
    unsafe using(collection, "sediment_batch_set") { (open: OpenCollection) in
      let expiry = unsafe try change.map { unsafe try WrittenChange($0, taking: .expiry) }?.expiry ?? .never
      if case .unchanged = expiry {
        throw Refusal.misuse(
          "change.expiry is SEDIMENT_EXPIRY_UNCHANGED, which no batch takes. Set another one.")
      }
      return try members.add { batch in
        batch.set(valueBytes, forKey: keyBytes, in: open.keys, expiry: expiry)
      }
    }
  }
}

@c @implementation
public func sediment_batch_remove(
  _ batch: OpaquePointer?, _ collection: OpaquePointer?, _ key: UnsafeRawPointer?, _ keySize: Int
) -> sediment_status {
  guard let keyBytes = unsafe Bytes(key: key, keySize) else { return unsafe impossibleKey(key, keySize) }
  return unsafe using(batch) { (members: OpenBatch) in
    unsafe using(collection, "sediment_batch_remove") { (open: OpenCollection) in
      try members.add { batch in batch.remove(forKey: keyBytes, in: open.keys) }
    }
  }
}

@c @implementation
public func sediment_batch_commit(
  _ batch: OpaquePointer?, _ change: UnsafePointer<sediment_change>?
) -> sediment_status {
  unsafe closing(UnsafeRawPointer(batch)) { (members: OpenBatch, end) in
    let durability = unsafe try WrittenChange.durability(change)
    try members.use { batch in
      try end()
      try batch.commit(durability: durability)
    }
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_batch_abandon(_ batch: OpaquePointer?) -> sediment_status {
  unsafe closing(UnsafeRawPointer(batch)) { (members: OpenBatch, end) in
    try members.use { _ in try end() }
    return SEDIMENT_OK
  }
}
