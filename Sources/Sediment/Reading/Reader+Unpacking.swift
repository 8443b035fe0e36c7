internal import SedimentFormat

// How values are had back that were compressed; the checksum of what is stored was compared before.

extension Reader {
  /// The value of a compressed record, in memory that is lent or of its own.
  ///
  /// In a reader's scope; the record stays the caller's.
  func unpackedValue(of found: FoundRecord) throws(SedimentError) -> FoundValue {
    let transform = try transform(of: found)
    let byteCount = Int(transform.originalByteCount)
    let lent = unsafe ZstdCodec.withCurrent { unsafe $0?.lend(byteCount) }
    let memory = unsafe lent ?? .allocate(byteCount: max(byteCount, 1), alignment: 16)
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<byteCount])
    let value = unsafe FoundValue(
      UnsafeRawBufferPointer(target), owner: memory.baseAddress!, isLent: lent != nil)
    do throws(SedimentError) {
      unsafe try unpack(found, transform, into: target)
    } catch {
      value.release()
      throw error
    }
    return value
  }

  /// The same as an array, without a copy; takes over the record.
  @inline(never)
  func unpackedBytes(of found: FoundRecord) throws(SedimentError) -> [UInt8] {
    defer { found.release() }
    try checkLength(of: found)
    let transform = try transform(of: found)
    let byteCount = Int(transform.originalByteCount)
    var failure: SedimentError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { target, count in
      do throws(SedimentError) {
        let target = unsafe UnsafeMutableRawBufferPointer(start: target.baseAddress, count: byteCount)
        unsafe try unpack(found, transform, into: target)
        count = byteCount
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Decompresses the value of a record to memory that has just as many bytes.
  func unpack(
    _ found: FoundRecord, _ transform: Transform, into target: UnsafeMutableRawBufferPointer
  ) throws(SedimentError) {
    let dictionary = try dictionary(of: transform, of: found)
    if found.view.kind == .putLarge { return unsafe try unpackLarge(found, into: target) }
    let isWhole = ZstdCodec.withCurrent {
      unsafe $0?.decompress(found.view.value, with: dictionary, into: target)
    }
    guard isWhole ?? false else { throw undecompressable(found) }
  }

  /// What was done to the value of a record, as far as this version knows it.
  func transform(of found: FoundRecord) throws(SedimentError) -> Transform {
    guard let transform = found.view.transform, transform.compression == Transform.zstd else {
      throw SedimentError(
        .newer, path: path, offset: found.position,
        message: "The value is stored in a way that this version does not know. Use a later version.")
    }
    // Forged, it is to cost no memory.
    let storedByteCount =
      found.view.kind == .putLarge ? Int(found.place?.storedByteCount ?? 0) : found.view.valueByteCount
    guard transform.isPlausible(storedByteCount: storedByteCount) else { throw undecompressable(found) }
    return transform
  }

  func dictionary(
    of transform: Transform, of found: FoundRecord
  ) throws(SedimentError) -> CompressionDictionary? {
    if transform.dictionary == 0 { return nil }
    if let dictionary = dictionaries.dictionary(transform.dictionary) { return dictionary }
    throw SedimentError(
      .damaged, path: path, offset: found.position,
      message:
        "Dictionary \(transform.dictionary), with which the value was compressed, is lost. All other values"
        + " can be read; take this one from a backup, or set it again.")
  }

  func undecompressable(_ found: FoundRecord) -> SedimentError {
    SedimentError(
      .damaged, path: path, offset: found.position,
      message:
        "The value cannot be decompressed to what its record says. Verify the store, and set the value again."
    )
  }
}
