/// A value that is handed from one place to another which uses it alone; nothing checks that.
@usableFromInline
struct Unchecked<Value>: @unchecked Sendable {
  @usableFromInline var value: Value

  @inlinable
  init(_ value: Value) { self.value = value }
}

/// A place for a value that one after another uses; nothing checks that.
@usableFromInline
final class UncheckedBox<Value>: @unchecked Sendable {
  @usableFromInline var value: Value

  @inlinable
  init(_ value: Value) { self.value = value }
}
