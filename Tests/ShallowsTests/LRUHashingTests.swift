import Foundation
import SedimentTesting
import Shallows
import Testing

/// The hashes of keys of a memory layer.
@Suite struct LRUHashingTests {
  private let hashing = LRUHashing()

  @Test func `Strings that are equal have the same hash, however they are written`() {
    // All scalars that have more than one way to be written are among these.
    for number in UInt32(0x80)...0x2FFFF {
      guard let scalar = Unicode.Scalar(number) else { continue }
      for text in [String(Character(scalar)), "a text with \(Character(scalar)) in it"] {
        let hash = hashing.mixedHash(of: text)
        let composed = text.precomposedStringWithCanonicalMapping
        let decomposed = text.decomposedStringWithCanonicalMapping
        #expect(composed == text && decomposed == text, "U+\(String(number, radix: 16))")
        #expect(hashing.mixedHash(of: composed) == hash, "U+\(String(number, radix: 16))")
        #expect(hashing.mixedHash(of: decomposed) == hash, "U+\(String(number, radix: 16))")
      }
    }
  }

  @Test func `A key is found by another way to write it`() {
    let storage = LRUStorage<String, Int>(capacity: .count(100))
    storage.insert(1, forKey: "300 K; `x`")
    storage.insert(2, forKey: "caf\u{E9}")
    #expect(storage.value(forKey: "300 \u{212A}\u{37E} \u{1FEF}x\u{1FEF}") == 1)
    #expect(storage.value(forKey: "cafe\u{301}") == 2)
    #expect(storage.value(forKey: "cafe") == nil)
  }

  @Test func `Each byte and the length of a string count`() {
    var random = SeededGenerator(seed: 1)
    for length in 0...100 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0..<0x80, using: &random) }
      var texts: Set<String> = [String(decoding: bytes, as: UTF8.self)]
      for place in 0..<length {
        var others = bytes
        others[place] ^= 1 << UInt8.random(in: 0..<7, using: &random)
        texts.insert(String(decoding: others, as: UTF8.self))
        texts.insert(String(decoding: bytes[..<place], as: UTF8.self))
      }
      // A line break of two bytes is one character, and no other string.
      #expect(Set(texts.map { hashing.mixedHash(of: $0) }).count == texts.count, "\(length) bytes")
    }
  }

  @Test func `The places of strings are as those of chance`() {
    // Of so many balls in as many bins, that many bins are empty by chance: 1 of e.
    let count = 1 << 14
    for name in ["", "a key of some length ", "https://example.org/pictures/of/the/same/folder/"] {
      var taken = [Bool](repeating: false, count: count)
      for number in 0..<count {
        taken[Int(truncatingIfNeeded: hashing.mixedHash(of: "\(name)\(number)")) & (count - 1)] = true
      }
      let empty = Double(taken.count { !$0 }) / Double(count)
      #expect(abs(empty - 0.3679) < 0.02, "\(name): \(empty)")
    }
  }
}
