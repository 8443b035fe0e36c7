internal import CSediment

/// Memory of a table or of a directory, which whoever has it gives back once.
///
/// Unchecked: an address that does not change.
@safe
package struct IndexMemory: @unchecked Sendable {
  let address: UnsafeMutableRawPointer

  @inline(__always)
  init(_ address: UnsafeMutableRawPointer) {
    unsafe self.address = address
  }

  /// So many zeros, at a multiple of 64.
  init(byteCount: Int) {
    unsafe address = sediment_table_new(byteCount)
    unsafe address.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  /// Gives it back, when no reader can be inside.
  package func free() {
    unsafe sediment_table_free(address)
  }
}
