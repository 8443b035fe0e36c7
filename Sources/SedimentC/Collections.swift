// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import CSedimentInterface
internal import Sediment

/// What the handle of a collection leads to.
final class OpenCollection: HandleObject {
  static let kind: UInt32 = 2
  static let kindName: StaticString = "a collection"

  let keys: SedimentCollection
  let isDefault: Bool

  init(_ keys: SedimentCollection, isDefault: Bool) {
    self.keys = keys
    self.isDefault = isDefault
  }
}

@c @implementation
public func sediment_default_collection(_ store: OpaquePointer?) -> OpaquePointer? {
  var collection: OpaquePointer?
  _ = unsafe using(store) { (open: OpenStore) in
    try open.store.checkUsable()
    unsafe collection = OpaquePointer(open.defaultCollection)
    return SEDIMENT_OK
  }
  return unsafe collection
}

@c @implementation
public func sediment_collection_open(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ collection: UnsafeMutablePointer<OpaquePointer?>?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let name = unsafe try String(argument: name, "name")
    let collection = unsafe try required(collection, "collection")
    let keys = try open.store.collection(name)
    unsafe collection.pointee = OpaquePointer(try makeHandle(OpenCollection(keys, isDefault: false)))
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_collection_close(_ collection: OpaquePointer?) -> sediment_status {
  unsafe closing(UnsafeRawPointer(collection)) { (open: OpenCollection, end) in
    guard !open.isDefault else {
      throw Refusal.misuse("The collection without a name belongs to its store. Close that.")
    }
    try end()
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_collection_names(
  _ store: OpaquePointer?, _ callback: sediment_name_fn?, _ context: UnsafeMutableRawPointer?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let callback = unsafe try required(callback, "callback")
    try open.store.checkUsable()
    for name in open.store.collectionNames {
      if case .stop = unsafe try step(name.withCString({ unsafe callback(context, $0) })) { break }
    }
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_collection_drop(
  _ store: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ change: UnsafePointer<sediment_change>?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let name = unsafe try String(argument: name, "name")
    let durability = unsafe try WrittenChange.durability(change)
    return try open.store.dropCollection(name, durability: durability) ? SEDIMENT_OK : SEDIMENT_ABSENT
  }
}

@c @implementation
public func sediment_remove_everything(
  _ store: OpaquePointer?, _ change: UnsafePointer<sediment_change>?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    unsafe try open.store.removeEverything(durability: WrittenChange.durability(change))
    return SEDIMENT_OK
  }
}
