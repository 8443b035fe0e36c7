extension MediumFile {
  /// How far written bytes get.
  enum Reach {
    case cacheAndMedium
    case cacheOnly
    case mediumOnly
  }

  /// Takes bytes written by a call, sector by sector; the caller sees to the file's length.
  mutating func write(
    _ source: ArraySlice<UInt8>, at offset: Int, _ landing: DiskEvent.Landing, moment: inout Int
  ) {
    switch landing {
    case .whole:
      put(source, at: offset, .cacheAndMedium, moment: &moment)
    case .lost:
      put(source, at: offset, .cacheOnly, moment: &moment)
    case .torn(let count):
      put(source.prefix(count), at: offset, .cacheAndMedium, moment: &moment)
      put(source.dropFirst(count), at: offset + count, .cacheOnly, moment: &moment)
    case .misdirected(let target):
      put(source, at: offset, .cacheOnly, moment: &moment)
      put(source, at: target, .mediumOnly, moment: &moment)
    }
  }

  /// Takes bytes copied through a mapping: the page may be written back after each granule of them.
  mutating func store(_ source: ArraySlice<UInt8>, at offset: Int, granule: Int, moment: inout Int) {
    put(source, at: offset, .cacheAndMedium, granule: granule, moment: &moment)
  }

  /// Forgets what the medium might still get; the cache keeps it.
  mutating func dropUnsynced(strandsBlocks: Bool) {
    for number in sectors.keys {
      sectors[number]?.versions = []
      let block = number / Geometry.sectorsPerBlock
      if strandsBlocks, !written.contains(block) { stranded.insert(block..<block + 1) }
    }
  }

  /// Forgets what the cache has of stranded blocks.
  mutating func forgetStranded() {
    sectors = sectors.filter { !stranded.contains($0.key / Geometry.sectorsPerBlock) }
    stranded = BlockSet()
  }

  /// Changes bytes wherever they are.
  mutating func damage(_ source: ArraySlice<UInt8>, at offset: Int) {
    let end = Swift.min(offset + source.count, byteCount)
    if offset < end {
      bytes.fill(to: end)
      bytes.overwrite(at: offset, with: source.prefix(end - offset))
      blocks.insert(Geometry.blocks(touching: offset..<end))
      written.insert(Geometry.blocks(touching: offset..<end))
    }
    Self.forEachPiece(of: source, at: offset, granule: Geometry.sectorByteCount) { sector, start, piece in
      guard let pending = sectors[sector] else { return }
      for content in Set(pending.versions.map(\.content) + [pending.cached]) {
        contents.patch(content, at: start, with: piece)
      }
    }
  }

  /// Shortens the file on the medium itself.
  mutating func cut(to newByteCount: Int) {
    byteCount = newByteCount
    bytes.removeLast(Swift.max(0, bytes.count - newByteCount))
    blocks.removeAll(from: Geometry.blockCount(for: newByteCount))
    written.removeAll(from: Geometry.blockCount(for: newByteCount))
    sizes = []
    sectors = sectors.filter { $0.key * Geometry.sectorByteCount < newByteCount }
  }

  private mutating func put(
    _ source: ArraySlice<UInt8>, at offset: Int, _ reach: Reach, granule: Int? = nil, moment: inout Int
  ) {
    let isStore = granule != nil
    let lastSector = (offset + source.count - 1) / Geometry.sectorByteCount
    Self.forEachPiece(of: source, at: offset, granule: granule ?? Geometry.sectorByteCount) {
      sector, start, piece in
      moment += 1
      let pageEnd = (sector / Geometry.sectorsPerBlock + 1) * Geometry.sectorsPerBlock - 1
      let pageMoment = isStore ? moment : moment + Swift.min(pageEnd, lastSector) - sector
      patch(
        sector, at: start, with: piece, reach, isStore: isStore, moment: moment, pageMoment: pageMoment)
    }
  }

  private mutating func patch(
    _ sector: Int, at start: Int, with piece: ArraySlice<UInt8>, _ reach: Reach, isStore: Bool, moment: Int,
    pageMoment: Int
  ) {
    let range = start..<start + piece.count
    let before = cachedContent(of: sector)
    var after = before
    after.overwrite(at: start, with: piece)
    let content = contents.append(after)
    let cached = reach == .mediumOnly ? contents.append(before) : content
    var pending = sectors[sector] ?? PendingSector(cached: cached, cachedMoment: moment)
    pending.cached = cached
    pending.cachedMoment = moment
    if reach != .cacheOnly, !stranded.contains(sector / Geometry.sectorsPerBlock) {
      let written = isStore ? 0..<0 : range
      pending.versions.append(
        PendingSector.Version(
          content: content, moment: moment, pageMoment: pageMoment, written: written))
    }
    sectors[sector] = pending
  }

  /// What the page cache holds of a sector.
  func cachedContent(of sector: Int) -> [UInt8] {
    var content: [UInt8]
    var moment = -1
    if let pending = sectors[sector] {
      content = [UInt8](contents[pending.cached])
      moment = pending.cachedMoment
    } else {
      content = settledContent(of: sector)
    }
    let block = sector / Geometry.sectorsPerBlock
    let start = sector * Geometry.sectorByteCount
    for hole in holes where hole.moment > moment && hole.blocks.contains(block) {
      content = [UInt8](repeating: 0, count: Geometry.sectorByteCount)
    }
    for size in sizes where size.shrinks && size.moment > moment {
      for index in content.indices where start + index >= size.byteCount { content[index] = 0 }
    }
    return content
  }

  private static func forEachPiece(
    of source: ArraySlice<UInt8>, at offset: Int, granule: Int,
    _ body: (_ sector: Int, _ start: Int, _ piece: ArraySlice<UInt8>) -> Void
  ) {
    let end = offset + source.count
    var position = offset
    while position < end {
      let pieceEnd = Swift.min(end, (position / granule + 1) * granule)
      let first = source.startIndex + position - offset
      let sector = position / Geometry.sectorByteCount
      body(sector, position % Geometry.sectorByteCount, source[first..<first + pieceEnd - position])
      position = pieceEnd
    }
  }
}
