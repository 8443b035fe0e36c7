internal import SedimentFormat

/// Counts what the entries of a part lead to: in which segments, and of which collections.
struct IndexAccounts {
  private var rows: [Row] = []
  private var numbers: [Name: Int] = [:]
  /// The row of one of the names that have a place here, found without hashing.
  private var cache = [UInt32](repeating: 0, count: cacheCount)

  private static let cacheCount = 1024

  private struct Name: Hashable {
    let generation: UInt64
    let collection: UInt32
  }

  private struct Row {
    let name: Name
    var recordCount: UInt32 = 0
    var expiringCount: UInt32 = 0
    var byteCount: UInt64 = 0
    var extentSlotCount: UInt32 = 0
  }

  mutating func count(
    generation: UInt64, collection: UInt32, byteCount: Int, expires: Bool, extentSlotCount: UInt32
  ) {
    let place = Int(truncatingIfNeeded: generation &+ UInt64(collection) &* 97) & (Self.cacheCount - 1)
    var number = Int(cache[place]) &- 1
    if number < 0 || rows[number].name.generation != generation || rows[number].name.collection != collection
    {
      number = find(Name(generation: generation, collection: collection))
      cache[place] = UInt32(truncatingIfNeeded: number &+ 1)
    }
    rows[number].recordCount &+= 1
    if expires { rows[number].expiringCount &+= 1 }
    rows[number].byteCount &+= UInt64(byteCount)
    rows[number].extentSlotCount &+= extentSlotCount
  }

  private mutating func find(_ name: Name) -> Int {
    if let number = numbers[name] { return number }
    rows.append(Row(name: name))
    numbers[name] = rows.count - 1
    return rows.count - 1
  }

  /// The accounts, in the order in which their first records came.
  var all: [IndexAccount] {
    rows.map { row in
      // A segment's generation was in range when it was made, and no record is shorter than its fixed fields.
      IndexAccount(
        generation: Generation(row.name.generation)!, collection: row.name.collection,
        recordCount: row.recordCount, expiringCount: row.expiringCount, byteCount: row.byteCount,
        extentSlotCount: row.extentSlotCount)!
    }
  }
}
