internal import Foundation
internal import Sediment
internal import Shallows

extension ArchiveParts {
  /// The greatest number that an archive has now.
  final var lastNumber: UInt64 { withLock { shelf.ledger.number } }

  /// What stands next in the order of numbers.
  enum Found {
    case kept(KeptArchive)
    case stored(key: String, number: UInt64)
  }

  /// Archives above one number and up to another, at most so many, and the last number that was looked at; nil if
  /// there are none.
  final func walk(after number: UInt64, through last: UInt64, countMax: Int) -> (
    found: [Found], last: UInt64
  )? {
    withLock {
      let slots = shelf.ledger.slots(after: number, through: last, countMax: countMax)
      guard let end = slots.last else { return nil }
      let found: [Found] = slots.compactMap { slot in
        let entry = shelf.ledger[slot]
        // What is in memory as it is needs no decoding.
        if memoryByteCountMax > 0, let kept = memory.peek(forKey: entry.key),
          !(kept is KeptData) || !entry.isOnDisk
        {
          return .kept(kept)
        }
        return entry.isOnDisk ? .stored(key: entry.key, number: entry.number) : nil
      }
      return (found, shelf.ledger[end].number)
    }
  }

  /// What was read of one that is stored: its head and data, or why it could not be read.
  typealias Stored = Result<(head: ArchiveHead, data: Data), any Error>

  /// What is read of those that are stored, in their order; nil for each that is gone.
  final func read(_ found: [Found]) throws -> [Stored?] {
    let stored: [(key: String, number: UInt64)] = found.compactMap { found in
      guard case .stored(let key, let number) = found else { return nil }
      return (key, number)
    }
    var data: [Stored?] = []
    data.reserveCapacity(stored.count)
    do {
      try shelf.archives.withValues(forKeys: stored.lazy.map(\.key)) { place, value in
        guard let value else {
          data.append(nil)
          return
        }
        do {
          let parsed = try shelf.parse(value)
          // With another number it was recorded since, and is not what was looked for.
          data.append(parsed.head.number == stored[place].number ? .success(parsed) : nil)
        } catch {
          data.append(.failure(error))
        }
      }
    } catch let error as SedimentError where error.code == .damaged || error.code == .inputOutput {
      // One of them cannot be read, and the others can.
      return stored.map { key, number in
        do {
          guard let parsed = try shelf.read(key), parsed.head.number == number else { return nil }
          return .success(parsed)
        } catch {
          return .failure(error)
        }
      }
    } catch {
      throw VellumError.store(name, error)
    }
    return data
  }

  /// What memory has of an archive that has left the disk since it was looked for; nil if there is nothing.
  final func keptSince(_ key: String, _ number: UInt64) -> KeptArchive? {
    withLock {
      guard let slot = shelf.ledger.slot(of: key), shelf.ledger[slot].number == number else { return nil }
      return memory.peek(forKey: key)
    }
  }
}
