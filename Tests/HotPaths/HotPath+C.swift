import CSedimentInterface
import Sediment
import SedimentC

extension HotPath {
  /// Calls the interface for C, as a program in C does.
  func callC(_ store: SedimentStore, _ count: Int) throws {
    let handle = try sedimentHandle(of: store)
    guard let keys = unsafe sediment_default_collection(handle) else { fatalError("\(rawValue): no collection") }
    var buffer = [UInt8](repeating: 0, count: 100)
    var batch: OpaquePointer?
    if self == .cBatch { check(unsafe sediment_batch_begin(handle, &batch)) }
    for number in 0..<count {
      unsafe HotPath.keys[number % 1000].withUnsafeBytes { key in
        switch self {
        case .cGetInPlace: check(unsafe sediment_read(keys, key.baseAddress, key.count, { _, _, _, _ in }, nil))
        case .cPin:
          var pinned = unsafe sediment_pinned()
          check(unsafe sediment_pin(keys, key.baseAddress, key.count, &pinned))
          check(unsafe sediment_unpin(&pinned))
        case .cSet:
          check(unsafe sediment_set(keys, key.baseAddress, key.count, HotPath.value, HotPath.value.count, nil))
        case .cBatch:
          check(
            unsafe sediment_batch_set(
              batch, keys, key.baseAddress, key.count, HotPath.value, HotPath.value.count, nil))
        default:
          var size = 0
          check(unsafe sediment_get(keys, key.baseAddress, key.count, &buffer, buffer.count, &size))
        }
      }
      if self == .cBatch, number % 1000 == 999 {
        check(unsafe sediment_batch_commit(batch, nil))
        check(unsafe sediment_batch_begin(handle, &batch))
      }
    }
  }

  private func check(_ status: sediment_status) {
    guard status == SEDIMENT_OK else { fatalError("\(rawValue): status \(status.rawValue)") }
  }
}
