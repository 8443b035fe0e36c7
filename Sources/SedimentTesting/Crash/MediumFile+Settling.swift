/// Which of a file's pending changes reached the medium.
struct FileChoice: Sendable {
  /// How many of the changes of length.
  var sizeCount: Int
  /// One for each allocation and each hole.
  var allocations: [Bool]
  var holes: [Bool]
  var sectors: [Sector]

  struct Sector: Sendable {
    var number: Int
    /// How many of the sector's versions: zero for the settled contents.
    var version: Int
    var tear: SectorTear?
  }

  /// Everything.
  init(latestOf file: MediumFile) {
    sizeCount = file.sizes.count
    allocations = Array(repeating: true, count: file.allocations.count)
    holes = Array(repeating: true, count: file.holes.count)
    sectors = file.sectors.map { Sector(number: $0.key, version: $0.value.versions.count) }
  }

  init(sizeCount: Int, allocations: [Bool], holes: [Bool], sectors: [Sector]) {
    self.sizeCount = sizeCount
    self.allocations = allocations
    self.holes = holes
    self.sectors = sectors
  }
}

extension MediumFile {
  /// Makes everything durable that a sync would.
  ///
  /// Sectors whose cached contents the medium does not get, because a write was lost or a failed sync dropped
  /// it, keep them; the space for them is durable all the same.
  mutating func sync() {
    var divergent: [(sector: Int, content: [UInt8], moment: Int)] = []
    for (sector, pending) in sectors where pending.versions.last?.content != pending.cached {
      divergent.append((sector, cachedContent(of: sector), pending.cachedMoment))
    }
    settle(FileChoice(latestOf: self))
    for (sector, content, moment) in divergent where content != settledContent(of: sector) {
      sectors[sector] = PendingSector(cached: contents.append(content), cachedMoment: moment)
      let block = sector / Geometry.sectorsPerBlock
      if block < Geometry.blockCount(for: byteCount) { blocks.insert(block..<block + 1) }
    }
  }

  /// Turns the chosen changes into settled ones and forgets the others.
  mutating func settle(_ choice: FileChoice) {
    let chosenHoles = zip(holes, choice.holes).filter(\.1).map(\.0)
    let shrinks = sizes.prefix(choice.sizeCount).filter(\.shrinks)
    let newByteCount = choice.sizeCount == 0 ? byteCount : sizes[choice.sizeCount - 1].byteCount
    settleBlocks(zip(allocations, choice.allocations).filter(\.1).map(\.0), chosenHoles, shrinks)
    for shrink in shrinks where bytes.count > shrink.byteCount {
      bytes.removeLast(bytes.count - shrink.byteCount)
    }
    for hole in chosenHoles {
      bytes.zero(Geometry.bytes(of: hole.blocks).clamped(to: 0..<bytes.count))
    }
    for chosen in choice.sectors where chosen.version > 0 {
      guard let pending = sectors[chosen.number] else { continue }
      let version = pending.versions[chosen.version - 1]
      let block = chosen.number / Geometry.sectorsPerBlock
      if chosenHoles.contains(where: { $0.moment > version.moment && $0.blocks.contains(block) }) { continue }
      let end = shrinks.reduce(newByteCount) {
        $1.moment > version.moment ? Swift.min($0, $1.byteCount) : $0
      }
      let content =
        chosen.tear.map { torn($0, version, pending, chosen.number)[...] } ?? contents[version.content]
      place(content, at: chosen.number * Geometry.sectorByteCount, end: end)
    }
    bytes.removeLast(Swift.max(0, bytes.count - newByteCount))
    byteCount = newByteCount
    blocks.removeAll(from: Geometry.blockCount(for: newByteCount))
    written.removeAll(from: Geometry.blockCount(for: newByteCount))
    sizes = []
    allocations = []
    holes = []
    sectors = [:]
    contents = SectorContents()
  }

  private mutating func settleBlocks(
    _ allocations: [BlockChange], _ holes: [BlockChange], _ shrinks: [SizeChange]
  ) {
    enum Step {
      case insert(Range<Int>)
      case remove(Range<Int>)
      case end(Int)
    }
    var steps = allocations.map { ($0.moment, Step.insert($0.blocks)) }
    steps += holes.map { ($0.moment, Step.remove($0.blocks)) }
    steps += shrinks.map { ($0.moment, Step.end(Geometry.blockCount(for: $0.byteCount))) }
    for (_, step) in steps.sorted(by: { $0.0 < $1.0 }) {
      switch step {
      case .insert(let range): blocks.insert(range)
      case .remove(let range):
        blocks.remove(range)
        written.remove(range)
      case .end(let first):
        blocks.removeAll(from: first)
        written.removeAll(from: first)
      }
    }
  }

  /// Puts a sector in its place, as far as the file reaches.
  private mutating func place(_ content: ArraySlice<UInt8>, at start: Int, end: Int) {
    let end = Swift.min(start + content.count, end)
    guard start < end else { return }
    bytes.fill(to: end)
    bytes.overwrite(at: start, with: content.prefix(end - start))
    let block = start / Geometry.blockByteCount
    blocks.insert(block..<block + 1)
    written.insert(block..<block + 1)
  }

  private func torn(
    _ tear: SectorTear, _ version: PendingSector.Version, _ pending: PendingSector, _ sector: Int
  ) -> [UInt8] {
    var content =
      tear.over == 0
      ? settledContent(of: sector) : [UInt8](contents[pending.versions[tear.over - 1].content])
    content.overwrite(at: 0, with: contents[version.content].prefix(tear.newByteCount))
    return content
  }
}
