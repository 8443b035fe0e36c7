internal import SedimentFormat

extension Reader {
  /// Decompresses a large value to memory that has just as many bytes, from one piece after the other.
  func unpackLarge(
    _ found: FoundRecord, into target: UnsafeMutableRawBufferPointer
  ) throws(SedimentError) {
    let place = try place(of: found)
    guard let codec = ZstdCodec() else { throw undecompressable(found) }
    let isWhole = unsafe try codec.decompress(into: target) { (take) throws(SedimentError) in
      for piece in place.pieces {
        if let bytes = unsafe try mappedPiece(piece, verifying: options.verifiesReads) {
          guard unsafe take(bytes) else { throw undecompressable(found) }
          continue
        }
        // A chunk at a time: a piece can be nearly as large as the value.
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Limits.chunkByteCount, alignment: 16)
        defer { unsafe memory.deallocate() }
        unsafe try readPiece(piece, verifying: options.verifiesReads, into: { _ in unsafe memory }) {
          (chunk) throws(SedimentError) in
          guard unsafe take(chunk) else { throw undecompressable(found) }
        }
      }
      let tail = unsafe UnsafeRawBufferPointer(rebasing: found.view.value[place.tailOffset...])
      guard unsafe tail.isEmpty || take(tail) else { throw undecompressable(found) }
    }
    guard isWhole else { throw undecompressable(found) }
  }

  func place(of found: FoundRecord) throws(SedimentError) -> ValuePlace {
    do throws(FormatError) {
      return try ValuePlace.decode(unsafe RawSpan(_unsafeBytes: found.view.value))
    } catch {
      throw SedimentError(error, path: path, offset: found.position)
    }
  }

  /// The value that a put large leads to: in place where it lies in one piece that is mapped, else put together.
  func largeValue(of found: FoundRecord, verifying: Bool) throws(SedimentError) -> FoundValue {
    let place = try place(of: found)
    if place.pieces.count == 1, place.tailByteCount == 0,
      let bytes = unsafe try mappedPiece(place.pieces[0], verifying: verifying)
    {
      return unsafe FoundValue(bytes, owner: nil)
    }
    let byteCount = Int(place.storedByteCount)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 1), alignment: 16)
    do throws(SedimentError) {
      var offset = 0
      for piece in place.pieces {
        unsafe try readPiece(piece, verifying: verifying, into: { unsafe memory + offset + Int($0) }) { _ in }
        offset += Int(piece.storedByteCount)
      }
      if place.tailByteCount > 0 {
        let tail = unsafe UnsafeRawBufferPointer(rebasing: found.view.value[place.tailOffset...])
        unsafe (memory + offset).copyMemory(from: tail.baseAddress!, byteCount: tail.count)
      }
    } catch {
      unsafe memory.deallocate()
      throw error
    }
    return unsafe FoundValue(UnsafeRawBufferPointer(start: memory, count: byteCount), owner: memory)
  }

  /// The bytes of a piece where they are mapped, verified if that is asked for; nil if they are not.
  private func mappedPiece(
    _ piece: ValuePlace.Piece, verifying: Bool
  ) throws(SedimentError) -> UnsafeRawBufferPointer? {
    let layout = ExtentLayout(storedByteCount: piece.storedByteCount)
    let run = piece.extent.run.byteRange
    guard run.upperBound <= volume.mappedByteCount else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(
      start: volume.base + Int(run.lowerBound + ExtentLayout.bytesOffset), count: Int(piece.storedByteCount))
    guard verifying else { return unsafe bytes }
    let table = unsafe UnsafeRawBufferPointer(
      start: volume.base + Int(run.lowerBound + layout.tableOffset), count: layout.tableByteCount)
    let verifier = unsafe ExtentVerifier(piece, table: RawSpan(_unsafeBytes: table), in: volume.identity)
    guard let verifier else { throw damaged(at: run.lowerBound) }
    for number in 0..<layout.chunkCount {
      let range = layout.chunk(number)
      let chunk = unsafe UnsafeRawBufferPointer(
        rebasing: bytes[Int(range.lowerBound)..<Int(range.upperBound)])
      guard unsafe verifier.isIntact(number, RawSpan(_unsafeBytes: chunk)) else {
        throw damaged(at: run.lowerBound + ExtentLayout.bytesOffset + range.lowerBound)
      }
    }
    return unsafe bytes
  }

  /// Reads a piece chunk by chunk, each into the memory that `target` has for the bytes from an offset in the piece on,
  /// and calls `body` with each once it is verified.
  private func readPiece(
    _ piece: ValuePlace.Piece, verifying: Bool, into target: (_ offset: UInt64) -> UnsafeMutableRawPointer,
    _ body: (UnsafeRawBufferPointer) throws(SedimentError) -> Void
  ) throws(SedimentError) {
    let layout = ExtentLayout(storedByteCount: piece.storedByteCount)
    let verifier = verifying ? try verifier(of: piece, layout) : nil
    let start = piece.extent.run.byteRange.lowerBound + ExtentLayout.bytesOffset
    for number in 0..<layout.chunkCount {
      let range = layout.chunk(number)
      let memory = unsafe target(range.lowerBound)
      let count = unsafe try readBytes(into: memory, range.count, at: start + range.lowerBound)
      let chunk = unsafe UnsafeRawBufferPointer(start: memory, count: count)
      let isIntact = unsafe verifier?.isIntact(number, RawSpan(_unsafeBytes: chunk)) ?? true
      guard count == range.count, isIntact else { throw damaged(at: start + range.lowerBound) }
      unsafe try body(chunk)
    }
  }

  /// Reads the chunk table of a piece.
  private func verifier(
    of piece: ValuePlace.Piece, _ layout: ExtentLayout
  ) throws(SedimentError) -> ExtentVerifier {
    let start = piece.extent.run.byteRange.lowerBound
    let memory = UnsafeMutableRawPointer.allocate(byteCount: layout.tableByteCount, alignment: 4)
    defer { unsafe memory.deallocate() }
    let found = unsafe try readBytes(into: memory, layout.tableByteCount, at: start + layout.tableOffset)
    let table = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(memory), byteCount: found)
    guard found == layout.tableByteCount,
      let verifier = ExtentVerifier(piece, table: table, in: volume.identity)
    else { throw damaged(at: start) }
    return verifier
  }
}

/// Compares the chunks of an extent with its chunk table, which it has compared with the piece (DESIGN.md 3.7).
struct ExtentVerifier {
  private let seed: Checksum
  private let checksums: [UInt32]

  /// Nil if the table is not the one that the piece names.
  init?(_ piece: ValuePlace.Piece, table: RawSpan, in file: FileIdentity) {
    seed = piece.extent.seed(in: file)
    guard seed.continued(with: table) == piece.checksum else { return nil }
    checksums = (0..<table.byteCount / 4).map { table.integer(UInt32.self, at: $0 * 4) }
  }

  func isIntact(_ number: Int, _ bytes: RawSpan) -> Bool {
    number < checksums.count
      && ExtentLayout.checksum(ofChunk: number, bytes, seed: seed).rawValue == checksums[number]
  }
}
