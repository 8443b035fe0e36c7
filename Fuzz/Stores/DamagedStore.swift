package import SedimentTesting

/// A file made from a seed by the edits of an input.
package struct DamagedStore {
  package let seed: SeedStore
  package let bytes: [UInt8]
  /// Whether checksums were mended: then the file is a forgery, and what it holds may be anything.
  package let isForged: Bool

  /// The most edits of one file.
  private static let editCountMax = 40
  /// No edit makes a file larger.
  private static let byteCountMax = 4 << 20

  /// Edits a seed as the input says, at landmarks for which `isTarget` holds.
  ///
  /// Without a rule nothing is mended, and bytes that the input gives are made noise first: it must not be able to
  /// state the checksum that it needs. `forged` is the seed's file with more behind its log. With `isConfined`, what
  /// the edits did beyond the landmarks is undone.
  package init(
    _ reader: inout InputReader, of seed: SeedStore, mending rule: Mender.Rule?,
    startingFrom forged: [UInt8]? = nil, isConfined: Bool = false,
    at isTarget: (Landmark) -> Bool = { _ in true }
  ) {
    self.seed = seed
    isForged = rule != nil
    let landmarks = seed.landmarks.filter(isTarget)
    var noise = rule == nil ? SeededGenerator(seed: reader.hash) : nil
    var bytes = forged ?? seed.bytes
    var count = 0
    while !reader.isAtEnd, !landmarks.isEmpty, count < Self.editCountMax {
      Edit(&reader, landmarks, of: bytes.count, noise: &noise).apply(to: &bytes)
      bytes.removeLast(max(bytes.count - Self.byteCountMax, 0))
      count += 1
    }
    if isConfined { bytes = Self.confine(bytes, to: landmarks, of: seed) }
    self.bytes = rule.map { Mender.mend(bytes, of: seed.bytes, $0) } ?? bytes
  }

  private static func confine(
    _ edited: [UInt8], to landmarks: [Landmark], of seed: SeedStore
  ) -> [UInt8] {
    var bytes = seed.bytes
    for landmark in landmarks {
      let range = landmark.contents.clamped(to: 0..<min(edited.count, bytes.count))
      bytes.replaceSubrange(range, with: edited[range])
    }
    return bytes
  }

  package func disk() -> SimulatedDisk {
    SeedStore.disk(holding: bytes)
  }
}
