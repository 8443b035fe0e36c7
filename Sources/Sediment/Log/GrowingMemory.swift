/// Bytes one behind the other, in memory that is made larger where they need more.
@safe
final class GrowingMemory {
  private(set) var byteCount = 0
  /// Where the first byte is, until some are added.
  private(set) var start: UnsafeMutableRawPointer
  private var capacity: Int

  /// None yet, and room for so many.
  init(room: Int) {
    capacity = room
    unsafe start = .allocate(byteCount: room, alignment: 16)
  }

  deinit {
    unsafe start.deallocate()
  }

  /// Adds bytes that the caller fills, and returns where they are.
  @inline(__always)
  func add(_ count: Int) -> UnsafeMutableRawPointer {
    if capacity &- byteCount < count { grow(by: count) }
    defer { byteCount &+= count }
    return unsafe start + byteCount
  }

  /// Takes out what was added last, from a byte on.
  func removeAll(from offset: Int) {
    precondition(offset >= 0 && offset <= byteCount)
    byteCount = offset
  }

  /// The same bytes, of which no change is seen here, with room for more.
  func copy() -> GrowingMemory {
    let copy = GrowingMemory(room: 2 * byteCount)
    unsafe copy.add(byteCount).copyMemory(from: start, byteCount: byteCount)
    return copy
  }

  /// Where some of the bytes are, until some are added.
  @inline(__always)
  func address(_ range: Range<Int>) -> UnsafeMutableRawPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    return unsafe start + range.lowerBound
  }

  /// Adds a record that has no place in the log yet; the result is where its bytes are among all.
  @inline(__always)
  @discardableResult
  func append(_ form: RecordForm, key: RawSpan, value: RawSpan) -> Range<Int> {
    let count = form.byteCount(keyByteCount: key.byteCount, valueByteCount: value.byteCount)
    let offset = byteCount
    unsafe form.encode(key: key, value: value, byteCount: count, at: add(count))
    return offset..<offset &+ count
  }

  @inline(never)
  private func grow(by count: Int) {
    // Memory that is not used yet costs next to nothing, and copying does.
    let larger = max(capacity < 1 << 20 ? 16 * capacity : 2 * capacity, byteCount + count)
    let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    unsafe new.copyMemory(from: start, byteCount: byteCount)
    unsafe start.deallocate()
    unsafe start = new
    capacity = larger
  }
}
