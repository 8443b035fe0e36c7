import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Comparing a record of the file with another one's key, as a build of the index does.
@Suite struct RecordSourceTests {
  /// A record of each shape and of short and long keys and values.
  private static var headers: [RecordHeader] {
    let transforms =
      [nil, Transform(compression: 1, dictionary: 0, originalByteCount: 9)!]
      + [Transform(compression: 1, dictionary: 3, originalByteCount: 1 << 20)!]
    var headers: [RecordHeader] = []
    for collection: UInt32 in [0, 7] {
      for expiry: UInt64 in [0, 1 << 40 + 5] {
        for transform in transforms {
          for keyByteCount in [0, 1, 3, 8, 15, 16, 40] {
            for valueByteCount in [0, 1, 4, 12, 100] {
              headers.append(
                RecordHeader(
                  kind: .put, isBatched: false, sequence: SequenceNumber(0x1234_5678_9abc)!,
                  collection: collection, expiry: expiry, transform: transform, keyByteCount: keyByteCount,
                  valueByteCount: valueByteCount))
            }
          }
        }
      }
    }
    return headers
  }

  @Test(arguments: [true, false])
  func `A record is known by its key wherever it lies, also as the last of the file`(isMapped: Bool) throws {
    for header in Self.headers {
      for behind in [0, 8, 64] {
        let key = (0..<header.keyRange.count).map { UInt8($0 + 1) }
        let record = encoded(byteCount: header.byteCount) { bytes in
          header.encode(into: &bytes)
          bytes.copy(unsafe key.span.bytes, at: header.keyRange.lowerBound)
        }
        let image = [UInt8](repeating: 0, count: 16) + record + [UInt8](repeating: 0, count: behind)
        for collection: UInt32 in [0, 7] {
          for isSame in key.isEmpty ? [true] : [true, false] {
            let sought = isSame ? key : key.dropLast() + [0]
            let claim = try claim(of: image, isMapped, key: sought, collection)
            guard isSame, collection == header.collection else {
              #expect(claim == nil)
              continue
            }
            #expect(claim?.lowSequence == 0x1234_5678_9abc, "\(header), \(behind) bytes behind it")
            #expect(claim?.expiry == header.expiry)
            #expect(claim?.byteCount == header.byteCount)
            #expect(claim?.kind == .put)
          }
        }
      }
    }
  }

  private func claim(
    of image: [UInt8], _ isMapped: Bool, key: [UInt8], _ collection: UInt32
  ) throws -> RecordSource.Claim? {
    let disk = SimulatedDisk(seed: 1)
    disk.install(image, at: "/store")
    let file = try disk.openFile("/store", .read)
    return try unsafe image.withUnsafeBytes { image in
      let byteCount = UInt64(image.count)
      var source =
        isMapped
        ? unsafe RecordSource(
          file, byteCount: byteCount, mapped: image.baseAddress!, mappedByteCount: byteCount)
        : RecordSource(file, byteCount: byteCount)
      return try unsafe source.claim(at: 2, ifKeyIs: key.span.bytes, in: collection)
    }
  }
}
