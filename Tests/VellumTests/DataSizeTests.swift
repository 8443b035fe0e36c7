import Foundation
import Testing
import Vellum

@Suite struct DataSizeTests {
  @Test func `A kilobyte has 1,024 bytes, and so on up`() {
    #expect(DataSize.kiloBytes(1).bytes == 1024)
    #expect(10.kiloBytes.bytes == 10_240 && 10.kiloByte == 10.kiloBytes)
    #expect(2.megaBytes.bytes == 2_097_152 && 2.megaByte == 2.megaBytes)
    #expect(1.gigaBytes.bytes == 1_073_741_824 && 1.gigaByte == 1.gigaBytes)
    #expect(1.5.megaBytes.bytes == 1_572_864)
    #expect(3.bytes.bytes == 3 && 2.4.bytes.bytes == 3)
    #expect(1536.bytes.kiloBytes == 1.5)
    #expect(1.5.gigaBytes.gigaBytes == 1.5 && 512.kiloBytes.megaBytes == 0.5)
  }

  @Test func `Begun bytes count`() {
    #expect(8.bits.bytes == 1 && 9.bits.bytes == 2 && 0.bits.bytes == 0)
    #expect(3.nibbles.bytes == 2 && 2.5.nibbles.bytes == 2 && 8.5.bits.bytes == 2)
    #expect(1.2.bytes.bytes == 2 && 0.5.kiloBytes.bytes == 512 && DataSize.bits(-3) == .zero)
    #expect(2.bytes.bits == 16 && 2.bytes.nibbles == 4)
  }

  @Test func `Literals are bytes, and sizes add and compare`() {
    let size: DataSize = 10
    let rounded: DataSize = 9.2
    #expect(size == rounded && size == .bytes(10))
    #expect(size + 5 == 15 && size - 4 == 6 && DataSize.zero == 0)
    #expect(DataSize.bytes(9) < size && !(size < size))
    #expect(Data([1, 2, 3]).dataSize == 3)
  }

  @Test func `What does not fit is the nearest that does`() {
    #expect(DataSize.bytes(.max) + 1 == .bytes(.max))
    #expect(DataSize.bytes(.min) - 1 == .bytes(.min))
    #expect(DataSize.bytes(.max).bits == .max)
    #expect(DataSize.gigaBytes(1e300) == .bytes(.max))
    #expect(DataSize.bytes(Double.nan) == .zero)
  }
}
