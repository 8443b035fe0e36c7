/// The size of an object's data, while it is known and the object is asked for it.
///
/// The size that an archive has by default is that of its data; so it would be encoded a second time, but for this.
struct EncodedSize: Sendable {
  @TaskLocal static var current: EncodedSize?

  let type: ObjectIdentifier
  let key: String
  let byteCount: Int

  func isOf(_ type: Any.Type, key: String) -> Bool {
    self.type == ObjectIdentifier(type) && self.key == key
  }
}

extension Archivable {
  /// What the object counts in the memory part, given the number of bytes of its data; at least nothing.
  func sizeInMemory(key: String, dataByteCount: Int) -> Int {
    let known = EncodedSize(type: ObjectIdentifier(Self.self), key: key, byteCount: dataByteCount)
    return max(0, EncodedSize.$current.withValue(known) { sizeOfData.bytes })
  }
}
