import CSedimentInterface
import Sediment
import SedimentC

extension HotPath {
  /// Calls the interface for C as a program in C does.
  func callC(_ store: SedimentStore, _ count: Int) throws {
    let handle = unsafe try sedimentHandle(of: store)
    guard let keys = unsafe sediment_default_collection(handle) else {
      fatalError("\(rawValue): no collection")
    }
    let pointers = unsafe HotPath.keys.map { unsafe UnsafeRawPointer(copy($0)) }
    let keySize = HotPath.keys[0].count
    let value = unsafe UnsafeRawPointer(copy(HotPath.value))
    let buffer = unsafe copy(HotPath.value)
    let size = HotPath.value.count
    var found = 0
    switch self {
    case .cGetInPlace:
      for number in 0..<count {
        check(unsafe sediment_read(keys, pointers[number % 1000], keySize, { _, _, _, _ in }, nil))
      }
    case .cGet:
      for number in 0..<count {
        check(unsafe sediment_get(keys, pointers[number % 1000], keySize, buffer, size, &found))
      }
    case .cPin:
      var pinned = unsafe sediment_pinned()
      for number in 0..<count {
        check(unsafe sediment_pin(keys, pointers[number % 1000], keySize, &pinned))
        check(unsafe sediment_unpin(&pinned))
      }
    case .cSet:
      for number in 0..<count {
        check(unsafe sediment_set(keys, pointers[number % 1000], keySize, value, size, nil))
      }
    default:
      for _ in 0..<count / 1000 {
        var batch: OpaquePointer?
        check(unsafe sediment_batch_begin(handle, &batch))
        for number in 0..<1000 {
          check(unsafe sediment_batch_set(batch, keys, pointers[number], keySize, value, size, nil))
        }
        check(unsafe sediment_batch_commit(batch, nil))
      }
    }
  }

  /// Bytes in memory that stays until the process ends.
  private func copy(_ bytes: [UInt8]) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
    unsafe memory.copyBytes(from: bytes)
    return memory.baseAddress!
  }

  @inline(__always)
  private func check(_ status: sediment_status) {
    guard status == SEDIMENT_OK else { fatalError("\(rawValue): status \(status.rawValue)") }
  }
}
