/// Something unsynced that reaches the medium, or does not, on its own.
///
/// A unit has versions: zero is what is settled, and each later one is what the medium holds if the unit was
/// written back at some moment since. A change of the directory, an allocation and a hole have one version
/// besides zero. A sector has one for each write to it, and one for each granule that was stored into it.
public struct PendingUnit: Sendable {
  /// What the unit is.
  public let kind: Kind
  /// The file's latest name, or the directory change in words.
  public let subject: String
  /// When each version past zero came about: numbers that grow along the history.
  public let moments: [Int]
  /// The bytes of the sector that each version past zero wrote in one go; empty where it cannot be torn.
  let writtenRanges: [Range<Int>]
  /// When the page of each version past zero could be written back.
  let pageMoments: [Int]
  let file: Int

  /// What can persist on its own.
  public enum Kind: Hashable, Sendable {
    /// A sector of a file, by its number.
    case sector(Int)
    /// The length of a file.
    case byteCount
    /// Space for blocks of a file.
    case allocation(Range<Int>)
    /// Blocks of a file that were given back.
    case hole(Range<Int>)
    /// The creation, renaming or removal of a file.
    case name
  }

  /// How many states the unit may be found in, the settled one included.
  public var versionCount: Int {
    moments.count + 1
  }

  init(
    _ kind: Kind, _ subject: String, file: Int, moments: [Int], pageMoments: [Int] = [],
    writtenRanges: [Range<Int>] = []
  ) {
    self.kind = kind
    self.subject = subject
    self.file = file
    self.moments = moments
    self.pageMoments = pageMoments
    self.writtenRanges = writtenRanges
  }
}

extension PendingUnit: CustomStringConvertible {
  /// A phrase for people.
  public var description: String {
    switch kind {
    case .sector(let number): "sector \(number) of '\(subject)', \(moments.count) versions"
    case .byteCount: "length of '\(subject)', \(moments.count) versions"
    case .allocation(let blocks): "allocation of blocks \(blocks) of '\(subject)'"
    case .hole(let blocks): "hole of blocks \(blocks) of '\(subject)'"
    case .name: subject
    }
  }
}

extension Medium {
  /// Every pending unit: file by file, in an order that depends on the history alone.
  func pendingUnits() -> [PendingUnit] {
    var units: [PendingUnit] = []
    for (number, file) in files.sorted(by: { $0.key < $1.key }) {
      if !file.sizes.isEmpty {
        units.append(PendingUnit(.byteCount, file.path, file: number, moments: file.sizes.map(\.moment)))
      }
      for change in file.allocations {
        units.append(
          PendingUnit(.allocation(change.blocks), file.path, file: number, moments: [change.moment]))
      }
      for change in file.holes {
        units.append(PendingUnit(.hole(change.blocks), file.path, file: number, moments: [change.moment]))
      }
      for (sector, pending) in file.sectors.sorted(by: { $0.key < $1.key })
      where !pending.versions.isEmpty {
        units.append(
          PendingUnit(
            .sector(sector), file.path, file: number, moments: pending.versions.map(\.moment),
            pageMoments: pending.versions.map(\.pageMoment), writtenRanges: pending.versions.map(\.written)))
      }
    }
    for change in nameChanges {
      units.append(
        PendingUnit(.name, change.description, file: change.file, moments: [change.moment]))
    }
    return units
  }
}
