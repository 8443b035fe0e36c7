internal import SedimentFormat

/// Appends records that are sound, whatever they say, to the log of a file that was left open.
package struct Forger {
  package private(set) var bytes: [UInt8]
  private let file: FileIdentity
  private let header: SegmentHeader
  private var offset: Int
  private var sequence: UInt64

  /// Goes on behind the last record of the log; nil for a file that has none.
  package init?(_ bytes: [UInt8]) {
    guard let file = FileLayout.identity(in: bytes),
      let header = FileLayout.headers(in: bytes, of: file).filter({ $0.identity.kind == .hot })
        .max(by: { $0.identity.generation < $1.identity.generation })
    else { return nil }
    (self.bytes, self.file, self.header) = (bytes, file, header)
    offset = Int(header.identity.recordRange.lowerBound.byteOffset)
    sequence = header.base.rawValue
    for record in RecordWalk(bytes, header.identity, FileLayout.byteRange(of: header.identity, in: bytes)) {
      offset = record.upperBound
      sequence += 1
    }
  }

  /// How a value says that it was compressed.
  package struct Frame {
    package var bytes: [UInt8]
    package var compression: UInt8
    package var dictionary: UInt32
    package var originalByteCount: UInt32

    package init(bytes: [UInt8], compression: UInt8, dictionary: UInt32, originalByteCount: UInt32) {
      self.bytes = bytes
      self.compression = compression
      self.dictionary = dictionary
      self.originalByteCount = originalByteCount
    }
  }

  /// Appends a put; false if no record can say that, or there is no room left.
  package mutating func put(_ key: [UInt8], _ frame: Frame) -> Bool {
    guard
      let transform = Transform(
        compression: frame.compression, dictionary: frame.dictionary,
        originalByteCount: frame.originalByteCount),
      let sequence = SequenceNumber(sequence + 1)
    else { return false }
    let record = RecordHeader(
      kind: .put, sequence: sequence, transform: transform, keyByteCount: key.count,
      valueByteCount: frame.bytes.count)
    let home = FileLayout.byteRange(of: header.identity, in: bytes)
    guard record.violation == nil, record.byteCount <= home.upperBound - offset - Seal.recordByteCount
    else { return false }
    let place = FileLayout.place(at: offset, header, file)
    let made = encoded(byteCount: record.byteCount) { bytes in
      record.encode(into: &bytes)
      bytes.copy(unsafe key.span.bytes, at: record.keyRange.lowerBound)
      bytes.copy(unsafe frame.bytes.span.bytes, at: record.valueRange.lowerBound)
      RecordHeader.seal(&bytes, at: place)
    }
    bytes.replaceSubrange(offset..<offset + made.count, with: made)
    offset += made.count
    self.sequence += 1
    return true
  }

  /// The compressed values in a sound file's records, as they are stored.
  package static func frames(in bytes: [UInt8]) -> [Frame] {
    guard let file = FileLayout.identity(in: bytes) else { return [] }
    return FileLayout.headers(in: bytes, of: file).flatMap { header in
      guard header.identity.kind == .hot || header.identity.kind == .survivors else { return [] as [Frame] }
      let home = FileLayout.byteRange(of: header.identity, in: bytes)
      return RecordWalk(bytes, header.identity, home).compactMap { range in
        let place = FileLayout.place(at: range.lowerBound, header, file)
        guard
          let record = try? RecordHeader.decode(unsafe bytes.span.bytes.extracting(range), at: place),
          let transform = record.transform, record.kind == .put
        else { return nil }
        return Frame(
          bytes: Array(
            bytes[range][(range.lowerBound + record.valueRange.lowerBound)...].prefix(record.valueByteCount)),
          compression: transform.compression, dictionary: transform.dictionary,
          originalByteCount: transform.originalByteCount)
      }
    }
  }
}
