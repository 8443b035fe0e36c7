import SedimentFormat
import Testing

/// What holds for every structure of the format.
@Suite struct PropertyTests {
  @Test(arguments: Structure.all)
  func `What was encoded decodes and encodes to the same bytes`(structure: Structure) throws {
    for sample in structure.samples { #expect(try structure.check(sample) == nil) }
  }

  @Test(arguments: Structure.all.filter(\.isChecksummed))
  func `Any one bit that flips is found, before a field is believed`(structure: Structure) {
    for (number, sample) in structure.samples.enumerated() {
      withEveryBitFlipped(sample) { bytes, bit in
        let found = fault { () throws(FormatError) in try structure.check(bytes) }
        #expect(
          [.absent, .truncated, .checksum].contains(found),
          "sample \(number), bit \(bit): \(String(describing: found))")
      }
    }
  }

  @Test(arguments: Structure.all.filter { !$0.isChecksummed })
  func `No two byte strings mean the same`(structure: Structure) {
    for (number, sample) in structure.samples.enumerated() {
      withEveryBitFlipped(sample) { bytes, bit in
        let wrong = try? structure.check(bytes)
        #expect((wrong ?? nil) == nil, "sample \(number), bit \(bit)")
      }
    }
  }

  @Test(arguments: Structure.all)
  func `Whatever is cut short is refused`(structure: Structure) {
    for (number, sample) in structure.samples.enumerated() {
      for count in 0..<sample.count {
        let found = fault { () throws(FormatError) in try structure.check(Array(sample[..<count])) }
        #expect(found != nil, "sample \(number), \(count) bytes")
        guard structure.isChecksummed else { continue }
        #expect(
          found == (count < structure.byteCountMin ? .absent : .truncated),
          "sample \(number), \(count) bytes")
      }
    }
  }

  @Test(arguments: Structure.all)
  func `Zeros are nothing, however many, and whatever checksum is stored with them`(structure: Structure) {
    for count in Array(0...300) + [4095, 4096, 4097, 16_384] {
      var bytes = [UInt8](repeating: 0, count: count)
      #expect(fault { () throws(FormatError) in try structure.check(bytes) } != nil, "\(count) bytes")
      structure.mend(&bytes)
      #expect(fault { () throws(FormatError) in try structure.check(bytes) } != nil, "\(count) bytes, mended")
    }
  }

  @Test(arguments: Structure.all)
  func `Random bytes never trap, and encode to themselves where they decode`(structure: Structure) {
    let seed: UInt64 = 1
    var random = SplitMix(seed: seed)
    for round in 0..<20_000 {
      var bytes = random.bytes(Int.random(in: 0..<180, using: &random))
      // Few random bytes are of a known structure; half of them get the beginning of one.
      if round % 2 == 0 {
        let sample = structure.samples.randomElement(using: &random)!
        for (index, byte) in sample.prefix(min(12, bytes.count)).enumerated() { bytes[index] = byte }
      }
      if round % 4 < 2 { structure.mend(&bytes) }
      expectSound(bytes, as: structure, "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: Structure.all)
  func `Mutated samples never trap, and encode to themselves where they decode`(structure: Structure) {
    let seed: UInt64 = 2
    var random = SplitMix(seed: seed)
    for round in 0..<20_000 {
      var bytes = structure.samples.randomElement(using: &random)!
      for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, with: &random) }
      structure.mend(&bytes)
      expectSound(bytes, as: structure, "seed \(seed), round \(round)")
    }
  }

  private func expectSound(_ bytes: [UInt8], as structure: Structure, _ round: String) {
    do throws(FormatError) {
      guard let wrong = try structure.check(bytes) else { return }
      Issue.record("\(wrong): \(round), \(bytes.prefix(200))")
    } catch {
      // A refusal names its structure and its fault; there is nothing more to hold it against.
    }
  }

  private func mutate(_ bytes: inout [UInt8], with random: inout SplitMix) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes[place] = [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &random)!
    case 3: bytes[place] = bytes[place] &+ (Bool.random(using: &random) ? 1 : 255)
    case 4:
      guard place + 8 <= bytes.count else { return }
      let edges: [UInt64] = [0, 1, 2, 1 << 27, 1 << 38, 1 << 38 + 1, 1 << 48, 1 << 62, 1 << 62 + 1, .max]
      bytes.put(edges.randomElement(using: &random)!, at: place & ~7)
    case 5:
      guard place + 4 <= bytes.count else { return }
      bytes.put([0, 1, 2, 65_537, 1 << 27, .max].randomElement(using: &random)! as UInt32, at: place & ~3)
    case 6: bytes.removeLast(Int.random(in: 0...min(16, bytes.count), using: &random))
    default: bytes += random.bytes(Int.random(in: 0..<16, using: &random))
    }
  }
}
