/// A front that is filled from a back which is never written.
@usableFromInline
struct BackedStorage<Front: StorageProtocol, Back: ReadableStorageProtocol, Marks: WriteMarks>:
  AnsweringStorage
where Front.Key == Back.Key, Front.Value == Back.Value, Marks.Key == Front.Key {
  @usableFromInline typealias Key = Front.Key
  @usableFromInline typealias Value = Front.Value

  @usableFromInline let reads: PullingStorage<Front, Back, Marks>

  @inlinable
  init(_ reads: PullingStorage<Front, Back, Marks>) { self.reads = reads }

  @inlinable var storageName: String { reads.storageName }

  @inlinable
  func answer(forKey key: Key) -> StorageAnswer<Value> { reads.answer(forKey: key) }

  @inlinable
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    reads.answer(withExpiryForKey: key)
  }

  @inlinable
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    reads.answer(forKeys: keys)
  }

  @inlinable
  func keys() -> StorageKeys<Key> { reads.keys() }

  @inlinable
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    reads.marked(key) { reads.front.answer(setting: value, forKey: key, expiry: expiry) }
  }

  @inlinable
  var defaultExpiry: StorageExpiry { reads.front.defaultExpiry }

  @inlinable
  func answer(removing key: Key) -> StorageAnswer<Void> {
    reads.marked(key) { reads.front.answer(removing: key) }
  }

  @inlinable
  func answerRemovingAll() -> StorageAnswer<Void> {
    reads.marked(nil) { reads.front.answerRemovingAll() }
  }

  /// The front is updated, from the back's value where it has none.
  @usableFromInline
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    reads.updateFront(key, expiry, modify)
  }
}
