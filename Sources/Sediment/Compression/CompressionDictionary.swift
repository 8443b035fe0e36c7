internal import CZstd
internal import Synchronization

/// A dictionary of a store, ready to be used by any number of threads.
@safe
final class CompressionDictionary: @unchecked Sendable {
  // Unchecked for the library's dictionaries, which are constant once they are made.

  /// Its number in the file.
  let number: UInt32
  let byteCount: Int
  /// Tells it from every other of the process, those that are gone included.
  let identifier: UInt64
  /// Nil in a store that does not compress.
  let compressing: OpaquePointer?
  let decompressing: OpaquePointer

  private static let identifiers = Atomic<UInt64>(0)

  /// A dictionary of bytes; nil if there is no memory for it, or the bytes are none.
  ///
  /// With a level it can compress, too.
  init?(_ bytes: RawSpan, number: UInt32, level: Int32?) {
    let decompressing = unsafe bytes.withUnsafeBytes {
      unsafe ZSTD_createDDict($0.baseAddress, $0.count)
    }
    guard let decompressing = unsafe decompressing else { return nil }
    var compressing: OpaquePointer?
    if let level {
      unsafe compressing = unsafe bytes.withUnsafeBytes {
        unsafe ZSTD_createCDict($0.baseAddress, $0.count, level)
      }
      guard unsafe compressing != nil else {
        unsafe ZSTD_freeDDict(decompressing)
        return nil
      }
    }
    self.number = number
    byteCount = bytes.byteCount
    identifier = Self.identifiers.add(1, ordering: .relaxed).newValue
    unsafe self.compressing = unsafe compressing
    unsafe self.decompressing = unsafe decompressing
  }

  deinit {
    unsafe ZSTD_freeCDict(compressing)
    unsafe ZSTD_freeDDict(decompressing)
  }
}
