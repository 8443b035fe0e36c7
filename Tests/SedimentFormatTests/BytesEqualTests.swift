import CSediment
import Testing

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
}
