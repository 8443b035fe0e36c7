import CSediment
import SedimentFormat
import Testing

/// What is done with short runs of bytes without a call: all lengths around those that have a way of their own.
@Suite struct BytesEqualTests {
  @Test func `Bytes are the same only if each of them is, however many there are`() {
    for count in 0...48 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
      var others = bytes
      #expect(unsafe sediment_bytes_equal(bytes, others, count) != 0, "\(count) bytes")
      for place in 0..<count {
        others[place] ^= 0x80
        #expect(unsafe sediment_bytes_equal(bytes, others, count) == 0, "\(count) bytes but for \(place)")
        others[place] ^= 0x80
      }
    }
  }

  @Test func `There are runs of no bytes at no address`() {
    #expect(sediment_bytes_equal(nil, nil, 0) != 0)
    sediment_copy(nil, nil, 0)
    sediment_copy_short(nil, nil, 0)
  }

  @Test func `All bytes are copied, and nothing around them is touched`() {
    for count in 0...48 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
      var target = [UInt8](repeating: 0xa5, count: count + 16)
      unsafe target.withUnsafeMutableBytes {
        unsafe sediment_copy_short($0.baseAddress! + 8, bytes, count)
      }
      let around = [UInt8](repeating: 0xa5, count: 8)
      #expect(target == around + bytes + around, "\(count) bytes")
    }
  }

  @Test func `A range is zero only if each of its bytes is`() {
    for count in 0...40 {
      for start in 0...9 {
        var bytes = [UInt8](repeating: 0xa5, count: start) + [UInt8](repeating: 0, count: count) + [0xa5]
        let range = start..<start + count
        #expect(unsafe bytes.span.bytes.isZero(range), "\(range)")
        for place in range {
          bytes[place] = 1
          #expect(unsafe !bytes.span.bytes.isZero(range), "\(range) but for \(place)")
          bytes[place] = 0
        }
      }
    }
  }
}
