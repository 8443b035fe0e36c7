// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import CSedimentInterface
package import Sediment

/// What the handle of a store leads to.
@safe
final class OpenStore: HandleObject {
  static let kind: UInt32 = 1
  static let kindName: StaticString = "a store"

  let store: SedimentStore
  /// The handle of the collection without a name, which ends with this one.
  let defaultCollection: UnsafeMutableRawPointer
  /// Why recovery cut the log, if there are words for that.
  let cutReason: CText

  init(_ store: SedimentStore) throws(Refusal) {
    self.store = store
    cutReason = CText(store.recovery.cut?.reason ?? "")
    unsafe defaultCollection = try makeHandle(OpenCollection(store.defaultCollection, isDefault: true))
  }

  // Closed before, unless there was no handle for the store.
  deinit { unsafe closeHandle(defaultCollection, of: OpenCollection.self) }
}

/// A handle of a store that a program in Swift has opened.
package func sedimentHandle(of store: SedimentStore) throws -> OpaquePointer {
  unsafe OpaquePointer(try makeHandle(OpenStore(store)))
}

@c @implementation
public func sediment_open(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<sediment_options>?,
  _ store: UnsafeMutablePointer<OpaquePointer?>?
) -> sediment_status {
  do {
    let path = unsafe try String(argument: path, "path")
    let store = unsafe try required(store, "store")
    unsafe store.pointee = try sedimentHandle(
      of: SedimentStore(path: path, options: SedimentOptions(options)))
    return SEDIMENT_OK
  } catch {
    return failed(error)
  }
}

@c @implementation
public func sediment_close(_ store: OpaquePointer?) -> sediment_status {
  unsafe closing(UnsafeRawPointer(store)) { (open: OpenStore, end) in
    try end()
    unsafe closeHandle(open.defaultCollection, of: OpenCollection.self)
    try open.store.close()
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_get_recovery(
  _ store: OpaquePointer?, _ recovery: UnsafeMutablePointer<sediment_recovery>?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let recovery = unsafe try required(recovery, "recovery")
    unsafe try checkSize(sediment_recovery.self, recovery.pointee.size, "recovery")
    try open.store.checkUsable()
    unsafe recovery.pointee = sediment_recovery(open.store.recovery, reason: open.cutReason)
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_sync(_ store: OpaquePointer?) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    try open.store.sync()
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_sync_later(
  _ store: OpaquePointer?, _ callback: sediment_sync_fn?, _ context: UnsafeMutableRawPointer?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let answer = unsafe Answer(callback: try required(callback, "callback"), context: context)
    open.store.sync { failure in answer.tell(failure) }
    return SEDIMENT_OK
  }
}

/// Whom to tell what came of a sync.
@safe
private struct Answer: @unchecked Sendable {
  // Sendable: the header says that it is called on other threads.
  let callback: sediment_sync_fn
  let context: UnsafeMutableRawPointer?

  func tell(_ failure: SedimentError?) {
    guard let failure else { return unsafe callback(context, SEDIMENT_OK.rawValue, nil) }
    unsafe withFailure(failure, "sediment_sync_later") { error in
      unsafe callback(context, error.pointee.status, error)
    }
  }
}

@c @implementation
public func sediment_compact(
  _ store: OpaquePointer?, _ progress: sediment_progress_fn?, _ context: UnsafeMutableRawPointer?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let meter = unsafe Meter(progress, context)
    try meter.watching { try open.store.compact { meter.tell($0) } }
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_backup(
  _ store: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ progress: sediment_progress_fn?,
  _ context: UnsafeMutableRawPointer?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let path = unsafe try String(argument: path, "path")
    let meter = unsafe Meter(progress, context)
    try meter.watching { try open.store.backup(to: path) { meter.tell($0) } }
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_compact_erasing(
  _ store: OpaquePointer?, _ progress: sediment_progress_fn?, _ context: UnsafeMutableRawPointer?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let meter = unsafe Meter(progress, context)
    try meter.watching { try open.store.compact(erasing: true) { meter.tell($0) } }
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_backup_live(
  _ store: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ progress: sediment_progress_fn?,
  _ context: UnsafeMutableRawPointer?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let path = unsafe try String(argument: path, "path")
    let meter = unsafe Meter(progress, context)
    try meter.watching { try open.store.backupLiveRecords(to: path) { meter.tell($0) } }
    return SEDIMENT_OK
  }
}
