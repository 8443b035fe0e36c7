import BenchmarkHarness
import Testing

@Suite struct UnitFormatTests {
  @Test(arguments: [
    (0, "0.00 ns"), (1.234, "1.23 ns"), (9.994, "9.99 ns"), (9.996, "10.0 ns"), (12.34, "12.3 ns"),
    (99.96, "100 ns"), (178.4, "178 ns"), (999.4, "999 ns"), (999.6, "1.00 us"), (1040, "1.04 us"),
    (112_345, "112 us"), (999_600, "1.00 ms"), (2_500_000, "2.50 ms"), (1_500_000_000, "1.50 s"),
    (-178.4, "-178 ns"), (-1040, "-1.04 us"),
  ])
  func `times have three digits and the unit that fits`(nanoseconds: Double, text: String) {
    #expect(Quantity.time.text(nanoseconds) == text)
  }

  @Test(arguments: [(0.333, "0.33 GB/s"), (9.87, "9.87 GB/s"), (13.56, "13.6 GB/s")])
  func `bandwidths are gigabytes a second`(value: Double, text: String) {
    #expect(Quantity.bandwidth.text(value) == text)
  }

  @Test func `a range has one unit, that of its upper end`() {
    #expect(Quantity.time.text(from: 820, to: 1100) == "0.82 .. 1.10 us")
    #expect(Quantity.time.text(from: 0, to: 0) == "0.00 .. 0.00 ns")
    #expect(Quantity.bandwidth.text(from: 4.5, to: 16.12) == "4.50 .. 16.1 GB/s")
  }

  @Test(arguments: [
    (0, "0 B"), (128, "128 B"), (1000, "1000 B"), (4096, "4 KiB"), (1536, "1536 B"), (512 << 20, "512 MiB"),
    (2 << 40, "2 TiB"),
  ])
  func `sizes are whole numbers of the largest unit`(byteCount: Int, text: String) {
    #expect(byteCountText(byteCount) == text)
  }
}
