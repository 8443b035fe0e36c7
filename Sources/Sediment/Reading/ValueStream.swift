internal import SedimentFormat
internal import Synchronization

/// A value that is read in parts, as often as it takes, in memory that does not depend on how long it is.
///
/// What it was made from stays in the file as long as this is kept, even if the key is set or the store is closed
/// meanwhile.
@safe
package final class ValueStream {
  /// The bytes of the value.
  package let byteCount: UInt64
  /// When the value expires.
  package let expiry: SedimentExpiry
  private let reader: Reader
  private let pins: [Readers.Pin]
  private let parts: () throws(SedimentError) -> ValueParts

  fileprivate init(
    _ reader: Reader, byteCount: UInt64, expiry: UInt64, pins: [Readers.Pin],
    parts: @escaping () throws(SedimentError) -> ValueParts
  ) {
    self.reader = reader
    self.byteCount = byteCount
    self.expiry = SedimentExpiry(written: expiry)
    self.pins = pins
    self.parts = parts
  }

  deinit {
    for pin in pins { Readers.unpin(pin) }
    // In a fork's child the count is nobody's, and its lock may be taken.
    if !reader.lifetime.isForked { reader.pins.remove() }
  }

  /// Calls a closure with each part of the value, in their order and from the first on.
  ///
  /// Throws what the closure throws, and `damaged` if the value is not whole: parts that came before are then those of a
  /// value that cannot be read.
  package func forEachPart(_ body: ([UInt8]) throws -> Void) throws {
    var parts = try parts()
    while let part = try parts.next() { try body(part) }
  }

  /// The whole value in one array.
  package func wholeValue() throws -> [UInt8] {
    var value: [UInt8] = []
    value.reserveCapacity(Int(byteCount))
    try forEachPart { value += $0 }
    return value
  }
}

extension SedimentCollection {
  /// The value of a key, to be read in parts; nil if the key has none.
  package func stream(forKey key: [UInt8]) throws(SedimentError) -> ValueStream? {
    try store.reader.stream(unsafe key.span.bytes, state)
  }
}

extension Reader {
  fileprivate func stream(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> ValueStream? {
    try enterReading()
    defer { Readers.leave() }
    guard let found = try findRecord(key, state) else { return nil }
    defer { found.release() }
    try checkLength(of: found)
    let place = found.view.kind == .putLarge ? try place(of: found) : nil
    let held = unsafe [UInt8](found.view.value[(place?.tailOffset ?? 0)...])
    let pieces = place?.pieces ?? []
    let (file, identity) = (volume.file, volume.identity)
    let stored = StoredValueParts(pieces, held: held, of: file, identity)
    let byteCount = try valueByteCount(of: found)
    let parts: () throws(SedimentError) -> ValueParts
    if found.view.isTransformed {
      let dictionary = try dictionary(of: try transform(of: found), of: found)
      let error = undecompressable(found)
      parts = { () throws(SedimentError) in
        guard let codec = ZstdStream(dictionary) else { throw error }
        return ValueParts(stored, byteCount: byteCount, with: codec, undecompressable: { error })
      }
    } else {
      parts = { ValueParts(stored, byteCount: byteCount) }
    }
    guard pins.add() else { throw .closed(path) }
    let holds = pieces.map { Readers.pin(domain, UInt64($0.extent.run.first)) }
    return ValueStream(self, byteCount: byteCount, expiry: found.view.expiry, pins: holds, parts: parts)
  }
}

// MARK: The longest value that is read

extension Reader {
  /// The bytes of the value of a record that is there.
  func valueByteCount(of found: FoundRecord) throws(SedimentError) -> UInt64 {
    if found.view.isTransformed { return UInt64(try transform(of: found).originalByteCount) }
    if found.view.kind == .putLarge { return try place(of: found).storedByteCount }
    return UInt64(found.view.valueByteCount)
  }

  /// Throws `tooLarge` if the value of a record is longer than readers are to be given.
  func checkLength(of found: FoundRecord) throws(SedimentError) {
    if options.valueByteCountMax >= Limits.valueByteCountMax { return }
    let byteCount = try valueByteCount(of: found)
    guard byteCount > UInt64(options.valueByteCountMax) else { return }
    throw SedimentError(
      .tooLarge, path: path, offset: found.position,
      message:
        "The value of a key of \(found.view.keyByteCount) bytes has \(byteCount) bytes, and this opening reads values of at"
        + " most \(options.valueByteCountMax) bytes. Open the store with a larger limit to read it.")
  }
}
