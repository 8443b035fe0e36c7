/// Bits that rot: changes that no call made, to what readers see and to the medium alike.
///
/// They are meant for files that nothing is pending for. A path that names no file is a mistake of the test's,
/// and so is a position beyond the file's end.
extension SimulatedDisk {
  /// Turns one bit of a file around.
  public func flipBit(_ bit: Int, ofByte offset: Int, in path: String) {
    precondition((0..<8).contains(bit), "a byte has eight bits")
    damage(path, at: offset) { bytes in [bytes(offset..<offset + 1)[0] ^ 1 << UInt8(bit)] }
  }

  /// Fills one sector of a file with zeros, as far as the file reaches.
  public func zeroSector(_ sector: Int, in path: String) {
    let range = Geometry.bytes(ofSector: sector)
    damage(path, at: range.lowerBound) { bytes in bytes(range).map { _ in 0 } }
  }

  /// Exchanges two sectors of a file, both of which it has as a whole.
  public func swapSectors(_ first: Int, _ second: Int, in path: String) {
    let contents = bytes(of: path)
    let firstRange = Geometry.bytes(ofSector: first)
    let secondRange = Geometry.bytes(ofSector: second)
    let end = max(firstRange.upperBound, secondRange.upperBound)
    precondition(end <= contents.count, "a sector beyond the end")
    overwrite([UInt8](contents[secondRange]), at: firstRange.lowerBound, in: path)
    overwrite([UInt8](contents[firstRange]), at: secondRange.lowerBound, in: path)
  }

  /// Copies a sector over another one of the same file, both of which it has as a whole.
  public func duplicateSector(_ source: Int, over target: Int, in path: String) {
    let contents = bytes(of: path)
    let range = Geometry.bytes(ofSector: source)
    precondition(range.upperBound <= contents.count, "a sector beyond the end")
    overwrite([UInt8](contents[range]), at: Geometry.bytes(ofSector: target).lowerBound, in: path)
  }

  /// Puts bytes, for example some that the file held earlier, over those of a file.
  public func overwrite(_ replacement: [UInt8], at offset: Int, in path: String) {
    damage(path, at: offset) { _ in replacement }
  }

  /// Takes the end of a file away.
  public func cut(_ path: String, to byteCount: Int) {
    withState { state in
      let number = Self.number(of: path, state)
      precondition((0...state[inode: number].byteCount).contains(byteCount), "a file is cut to a part of it")
      state.shorten(number, to: byteCount)
      state.journal.append(.cut(file: number, byteCount: byteCount))
    }
  }

  /// Lets every later read that touches the range fail with an I/O error.
  ///
  /// It lasts until `makeReadable`. Reads through mappings do not notice, and images of a crash do not take it
  /// over.
  public func makeUnreadable(_ range: Range<UInt64>, in path: String) {
    withState { state in
      let number = Self.number(of: path, state)
      state[inode: number].badRanges.append(range)
    }
  }

  /// Takes back all that `makeUnreadable` did to a file.
  public func makeReadable(_ path: String) {
    withState { state in
      let number = Self.number(of: path, state)
      state[inode: number].badRanges = []
    }
  }

  private func bytes(of path: String) -> [UInt8] {
    guard let contents = contents(of: path) else { preconditionFailure("there is no file '\(path)'") }
    return contents
  }

  private func damage(
    _ path: String, at offset: Int, _ replacement: ((Range<Int>) -> [UInt8]) -> [UInt8]
  ) {
    withState { state in
      let number = Self.number(of: path, state)
      let inode = state[inode: number]
      precondition((0..<inode.byteCount).contains(offset), "damage beyond the end of the file")
      let bytes = replacement { inode.cache.bytes(in: $0.clamped(to: 0..<inode.byteCount)) }
      precondition(bytes.count <= inode.byteCount - offset, "damage beyond the end of the file")
      inode.cache.write(bytes, at: offset)
      state.insert(Geometry.blocks(touching: offset..<offset + bytes.count), number)
      let kept = unsafe bytes.withUnsafeBytes { unsafe state.journal.keep($0) }
      state.journal.append(.damage(file: number, offset: offset, bytes: kept))
    }
  }

  private static func number(of path: String, _ state: DiskState) -> Int {
    guard let number = state.names[path] else { preconditionFailure("there is no file '\(path)'") }
    return number
  }
}
