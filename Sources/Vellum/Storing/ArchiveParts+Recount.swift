internal import Foundation
internal import Sediment
internal import Shallows

extension ArchiveParts {
  /// What is wrong with the figures, compared with a count of everything; nil if nothing is.
  func recount() throws -> String? {
    try withLock {
      var (count, byteCount) = (0, 0)
      var wrong: String?
      try shelf.archives.forEach { key, value in
        let (head, data) = try shelf.parse(value)
        let text = String(sedimentBytes: key) ?? ""
        guard let slot = shelf.ledger.slot(of: text), shelf.ledger[slot].number == head.number,
          shelf.ledger[slot].byteCount == data.count, shelf.ledger[slot].isOnDisk
        else {
          wrong = "an archive of the file is not noted as it is"
          return .stop
        }
        count += 1
        byteCount += data.count
        return .continue
      }
      if let wrong { return wrong }
      if byteCount != shelf.ledger.byteCount {
        return "\(byteCount) bytes, counted as \(shelf.ledger.byteCount)"
      }
      let noted = shelf.ledger.count - shelf.ledger.countElsewhere
      if count != noted { return "\(count) archives, counted as \(noted)" }
      if byteCount > shelf.byteCountMax {
        return "\(byteCount) bytes on the disk exceed \(shelf.byteCountMax)"
      }
      if memory.totalCost > memoryByteCountMax { return "\(memory.totalCost) bytes in memory are too many" }
      return nil
    }
  }

  /// The keys of the archives on the disk, those first that were not used for the longest.
  var diskKeysByUse: [String] {
    withLock {
      var keys: [String] = []
      var next = shelf.ledger.leastRecent
      while let slot = next {
        keys.append(shelf.ledger[slot].key)
        next = shelf.ledger.moreRecent(than: slot)
      }
      return keys
    }
  }
}

extension ArchiveManager {
  /// What is wrong with the figures, compared with a count of everything; nil if nothing is.
  package func recount() throws -> String? { try core.recount() }

  /// The keys of the archives on the disk, those first that were not used for the longest.
  package var diskKeysByUse: [String] { core.diskKeysByUse }
}
