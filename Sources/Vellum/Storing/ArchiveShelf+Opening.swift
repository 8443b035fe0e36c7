internal import Foundation
internal import Sediment

extension ArchiveShelf {
  /// Reads from the file what the ledger has of it; returns the keys of uses whose archives are gone, which only a
  /// crash leaves behind.
  func readLedger() throws -> [[UInt8]] {
    var found: [(key: String, head: ArchiveHead, byteCount: Int)] = []
    try archives.forEachReadable { key, value in
      // Foreign bytes in the collection are nobody's archive; only a newer version's must not be touched.
      do throws(ArchiveHead.Failure) {
        let (head, byteCount) = try ArchiveHead.read(value)
        if let key = String(sedimentBytes: key) { found.append((key, head, value.byteCount - byteCount)) }
      } catch {
        if error == .newer { throw VellumError.newer(name) }
      }
    } failed: {
      damage = $0
    }
    let (saved, orphans) = try readUses(of: Set(found.map(\.head.number)))
    var numbered = ArchiveLedger()
    numbered.load(found, saved)
    ledger = numbered
    return orphans
  }

  /// The uses that are saved, by the numbers of their archives, and the keys of those that belong to none.
  private func readUses(of numbers: Set<UInt64>) throws -> (saved: [UInt64: SavedUse], orphans: [[UInt8]]) {
    var saved: [UInt64: SavedUse] = [:]
    var orphans: [[UInt8]] = []
    try uses.forEach { key, value in
      if let number = SavedUse.number(ofKey: key), numbers.contains(number), let use = SavedUse(value) {
        saved[number] = use
      } else {
        orphans.append([UInt8](sedimentBytes: key))
      }
      return .continue
    }
    return (saved, orphans)
  }

  func removeUses(_ keys: [[UInt8]]) throws {
    for start in stride(from: 0, to: keys.count, by: Self.batchCountMax) {
      try store.batch { batch in
        for key in keys[start...].prefix(Self.batchCountMax) { batch.remove(forKey: key, in: uses) }
      }
    }
  }
}

extension ArchiveLedger {
  /// Takes in what a file has, in the order of numbers, and puts it into that of uses.
  mutating func load(
    _ found: [(key: String, head: ArchiveHead, byteCount: Int)], _ saved: [UInt64: SavedUse]
  ) {
    for archive in found.sorted(by: { $0.head.number < $1.head.number }) where slot(of: archive.key) == nil {
      let slot = add(archive.key, archive.head, byteCount: archive.byteCount, isOnDisk: true)
      if let use = saved[archive.head.number] { noteFound(use, of: slot) }
    }
    sortByUse()
  }
}
