// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

internal import CSedimentInterface
internal import Sediment

/// What a handle leads to.
protocol HandleObject: AnyObject {
  /// The number of the kind, from 1 to `kindCount`.
  static var kind: UInt32 { get }
  /// The kind in words, with its article.
  static var kindName: StaticString { get }
}

/// How many kinds of handles there are.
let kindCount: UInt32 = 5

/// Calls a closure with the object of a handle, which stays meanwhile whoever closes the handle.
///
/// The closure's result is the status of the call, or what came of what it throws.
@inline(__always)
func using<Object: HandleObject>(
  _ handle: UnsafeRawPointer?, _ function: StaticString = #function,
  _ body: (Object) throws -> sediment_status
) -> sediment_status {
  guard let slot = unsafe enter(handle, Object.self) else {
    return unsafe refused(handle, Object.self, function)
  }
  defer { unsafe leave(slot) }
  // The slot holds a reference to its object, which it does not let go of while it is used.
  return unsafe Unmanaged<Object>.fromOpaque(sediment_handle_object(slot))._withUnsafeGuaranteedRef {
    object in
    do {
      return try body(object)
    } catch {
      return failed(error, function)
    }
  }
}

/// The same for a handle of C.
@inline(__always)
func using<Object: HandleObject>(
  _ handle: OpaquePointer?, _ function: StaticString = #function,
  _ body: (Object) throws -> sediment_status
) -> sediment_status {
  unsafe using(UnsafeRawPointer(handle), function, body)
}

/// Calls a closure with the object of a handle, or throws why there is none.
@inline(__always)
func lending<Object: HandleObject>(_ handle: OpaquePointer?, _ body: (Object) throws -> Void) throws {
  guard let slot = unsafe enter(UnsafeRawPointer(handle), Object.self) else {
    throw unsafe refusal(UnsafeRawPointer(handle), Object.self)
  }
  defer { unsafe leave(slot) }
  // As `using` does.
  try unsafe Unmanaged<Object>.fromOpaque(sediment_handle_object(slot))._withUnsafeGuaranteedRef {
    try body($0)
  }
}

/// Calls a closure with the object of a handle; the closure says whether the handle is to be closed, and what is done
/// once it is good for nobody any more.
///
/// Of several calls that close a handle only one gets so far.
func closing<Object: HandleObject>(
  _ handle: UnsafeRawPointer?, _ function: StaticString = #function,
  _ body: (Object, _ end: () throws(Refusal) -> Void) throws -> sediment_status
) -> sediment_status {
  guard let slot = unsafe enter(handle, Object.self) else {
    return unsafe refused(handle, Object.self, function)
  }
  defer { unsafe leave(slot) }
  let object = unsafe Unmanaged<Object>.fromOpaque(sediment_handle_object(slot)).takeUnretainedValue()
  do {
    return try body(object) { () throws(Refusal) in
      if unsafe !sediment_handle_end(slot, handle) { throw Refusal.closed(Object.self) }
    }
  } catch {
    return failed(error, function)
  }
}

/// A new handle of an object, which the handle keeps; throws if there are no more.
func makeHandle(_ object: some HandleObject) throws(Refusal) -> UnsafeMutableRawPointer {
  let retained = unsafe Unmanaged.passRetained(object)
  guard let handle = unsafe sediment_handle_make(type(of: object).kind, retained.toOpaque()) else {
    unsafe retained.release()
    throw .noMemory
  }
  return unsafe handle
}

/// Closes a handle that the library has made for itself, if it is still open.
func closeHandle<Object: HandleObject>(_ handle: UnsafeRawPointer?, of type: Object.Type) {
  guard let slot = unsafe enter(handle, type) else { return }
  _ = unsafe sediment_handle_end(slot, handle)
  unsafe leave(slot)
}

// MARK: Uses

@inline(__always)
func enter<Object: HandleObject>(_ handle: UnsafeRawPointer?, _: Object.Type) -> OpaquePointer? {
  unsafe sediment_handle_enter(handle, Object.kind)
}

@inline(__always)
func leave(_ slot: OpaquePointer) {
  unsafe sediment_handle_leave(slot)
}

@c @implementation
public func sediment_handle_release(_ object: UnsafeMutableRawPointer?) {
  guard let object = unsafe object else { return }
  // The reference that `makeHandle` passed, which the table gives back once.
  unsafe Unmanaged<AnyObject>.fromOpaque(object).release()
}

// MARK: Refusing

@inline(never)
func refused<Object: HandleObject>(
  _ handle: UnsafeRawPointer?, _ type: Object.Type, _ function: StaticString
) -> sediment_status {
  failed(unsafe refusal(handle, type), function)
}

@inline(never)
private func refusal<Object: HandleObject>(_ handle: UnsafeRawPointer?, _ type: Object.Type) -> Refusal {
  let name = type.kindName
  return switch unsafe sediment_handle_fault_of(handle, type.kind, kindCount) {
  case SEDIMENT_HANDLE_NULL: .misuse("The handle is null. Pass that of \(name).")
  case SEDIMENT_HANDLE_OF_OTHER_KIND: .misuse("The handle is of another kind. Pass that of \(name).")
  case SEDIMENT_HANDLE_CLOSED: .closed(type)
  default: .misuse("The library has made no such handle. Pass that of \(name).")
  }
}

extension Refusal {
  fileprivate static func closed<Object: HandleObject>(_: Object.Type) -> Refusal {
    Refusal(
      status: SEDIMENT_CLOSED,
      message: "The handle of \(Object.kindName) was closed before. Open another one.")
  }
}
