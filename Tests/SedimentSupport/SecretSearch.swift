import Foundation

/// Looks for bytes that are not to be in a file.
package enum SecretSearch {
  /// How often a text is in some bytes, at any place.
  ///
  /// `Data.range(of:)` would copy all of the bytes for each place.
  package static func count(of text: String, in bytes: [UInt8]) -> Int {
    let wanted = Array(text.utf8)
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe wanted.withUnsafeBytes { wanted in
        guard let base = bytes.baseAddress, let wantedBase = wanted.baseAddress else { return 0 }
        var (count, start) = (0, 0)
        while start + wanted.count <= bytes.count,
          let found = unsafe memchr(base + start, Int32(wanted[0]), bytes.count - wanted.count + 1 - start)
        {
          if unsafe memcmp(found, wantedBase, wanted.count) == 0 { count += 1 }
          start = unsafe UnsafeRawPointer(found) - base + 1
        }
        return count
      }
    }
  }
}
