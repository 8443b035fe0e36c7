// The ring of entries by their last use.
extension LRUTable {
  /// The entry used last; 0 if there is none.
  @inlinable @inline(__always)
  var newest: UInt32 { unsafe links[0].older }

  /// The entry used longest ago; 0 if there is none.
  @inlinable @inline(__always)
  var oldest: UInt32 { unsafe links[0].newer }

  @inlinable @inline(__always)
  func linkAsNewest(_ index: UInt32) {
    let second = unsafe links[0].older
    unsafe links[Int(index)].newer = 0
    unsafe links[Int(index)].older = second
    unsafe links[Int(second)].newer = index
    unsafe links[0].older = index
  }

  @inlinable @inline(__always)
  func unlink(_ index: UInt32) {
    let newer = unsafe links[Int(index)].newer
    let older = unsafe links[Int(index)].older
    unsafe links[Int(newer)].older = older
    unsafe links[Int(older)].newer = newer
  }

  /// Makes an entry the one used last.
  @inlinable @inline(__always)
  func touch(_ index: UInt32) {
    if unsafe links[0].older == index { return }
    unlink(index)
    linkAsNewest(index)
  }
}
