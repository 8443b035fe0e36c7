import CSediment
import SedimentFormat
import Testing

@Suite struct ChecksumTests {
  @Test func `The checksum is CRC32C as published`() {
    let digits = Array("123456789".utf8)
    #expect(Checksum.empty.continued(with: unsafe digits.span.bytes).rawValue == 0xe306_9283)
    let zeros = [UInt8](repeating: 0, count: 32)
    #expect(Checksum.empty.continued(with: unsafe zeros.span.bytes).rawValue == 0x8a91_36aa)
    let ones = [UInt8](repeating: 0xff, count: 32)
    #expect(Checksum.empty.continued(with: unsafe ones.span.bytes).rawValue == 0x62a8_ab43)
    let ascending = [UInt8](0..<32)
    #expect(Checksum.empty.continued(with: unsafe ascending.span.bytes).rawValue == 0x46dd_794e)
    #expect(Checksum.empty.continued(with: unsafe [UInt8]().span.bytes) == .empty)
  }

  @Test func `The processor's way and the portable twin agree at every length and alignment`() {
    var random = SplitMix(seed: 1)
    let bytes = random.bytes(12_000)
    var lengths = Array(0...1200)
    lengths += [3071, 3072, 3073, 3455, 3456, 3457, 6143, 6144, 6145, 9215, 9216, 9999, 11_000]
    for length in lengths {
      for start in [0, 1, 3, 7, 8] {
        let seed = UInt32(truncatingIfNeeded: random.next())
        unsafe bytes.withUnsafeBytes { buffer in
          let part = unsafe buffer.baseAddress! + start
          let fast = unsafe sediment_crc32c(seed, part, length)
          let portable = unsafe sediment_crc32c_portable(seed, part, length)
          #expect(fast == portable, "length \(length), start \(start), seed \(seed)")
        }
      }
    }
  }

  @Test func `A checksum continued over parts is that of the whole`() {
    var random = SplitMix(seed: 2)
    let bytes = random.bytes(5000)
    let whole = Checksum.empty.continued(with: unsafe bytes.span.bytes)
    for cut in stride(from: 0, through: 5000, by: 37) {
      let first = Checksum.empty.continued(with: unsafe bytes.span.bytes.extracting(0..<cut))
      #expect(first.continued(with: unsafe bytes.span.bytes.extracting(cut..<5000)) == whole)
    }
  }

  @Test func `A record gets the checksum of its place and is stored, and nothing around that is touched`() {
    var random = SplitMix(seed: 3)
    for length in Array(stride(from: 16, through: 1200, by: 8)) + [4096, 12_288] {
      let seed = UInt32(truncatingIfNeeded: random.next())
      let unit = UInt32(truncatingIfNeeded: random.next())
      var record = random.bytes(length)
      let place = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: unit >> UInt32($0)) }
      let checksum = unsafe (place + record[4...]).withUnsafeBytes {
        unsafe sediment_crc32c_portable(seed, $0.baseAddress!, $0.count)
      }
      let expected = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: checksum >> UInt32($0)) } + record[4...]
      var target = [UInt8](repeating: 0xa5, count: length + 16)
      unsafe target.withUnsafeMutableBytes { target in
        unsafe record.withUnsafeMutableBytes { record in
          unsafe sediment_store_record(target.baseAddress! + 8, seed, unit, record.baseAddress!, length)
        }
      }
      #expect(record == expected, "length \(length), seed \(seed)")
      let around = [UInt8](repeating: 0xa5, count: 8)
      #expect(target == around + expected + around, "length \(length), seed \(seed)")
    }
  }

  @Test func `An integer counts as its bytes, lowest first`() {
    let bytes: [UInt8] = [0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01]
    #expect(
      Checksum.empty.continued(with: 0x0102_0304_0506_0708 as UInt64)
        == Checksum.empty.continued(with: unsafe bytes.span.bytes))
    var random = SplitMix(seed: 4)
    for _ in 0..<100 {
      let (start, value) = (
        Checksum(UInt32(truncatingIfNeeded: random.next())), UInt32(truncatingIfNeeded: random.next())
      )
      let bytes = unsafe withUnsafeBytes(of: value.littleEndian) { unsafe [UInt8]($0) }
      let portable = unsafe sediment_crc32c_portable(start.rawValue, bytes, 4)
      #expect(start.continued(with: value).rawValue == portable)
      #expect(start.continued(with: unsafe bytes.span.bytes).rawValue == portable)
    }
  }

  #if arch(x86_64) || arch(arm64)
    @Test func `The processor's instruction is used where it exists`() {
      // Every 64-bit machine that the tests run on has had it for a decade.
      #expect(sediment_crc32c_way() == 2)
    }
  #endif
}
