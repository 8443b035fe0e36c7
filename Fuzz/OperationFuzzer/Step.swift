internal import CrashModel
internal import FuzzStores
internal import Sediment
internal import SedimentDisk
internal import SedimentTesting

/// One thing that happens to a store.
enum Step {
  case operation(CrashOperation)
  /// Lets a call go wrong, so many after the next one.
  case fault(FaultEffect, after: Int, isForGood: Bool)
  case mendDisk
  /// Crashes the store, so many events before its last.
  case crash(Crash, before: Int)

  enum Crash {
    case powerLoss(CrashPlan)
    case processDeath
  }

  /// Takes a step out of an input.
  ///
  /// A store that evicts what it likes is only given operations that do not go by what is there.
  init(_ reader: inout InputReader, isBlind: Bool) {
    let kind = reader.byte()
    switch kind & 31 {
    case 24...26: self = Self.fault(&reader, isForGood: kind & 32 != 0)
    case 27: self = .mendDisk
    case 28: self = .crash(.processDeath, before: Int(reader.byte()))
    case 29: self = .crash(.powerLoss(kind & 32 == 0 ? .nothing : .everything), before: Int(reader.byte()))
    case 30, 31:
      self = .crash(.powerLoss(.random(seed: UInt64(reader.byte()))), before: Int(reader.byte()))
    default:
      self = .operation(Self.operation(kind, &reader, isBlind: isBlind))
    }
  }

  private static func operation(
    _ kind: UInt8, _ reader: inout InputReader, isBlind: Bool
  ) -> CrashOperation {
    let durability: SedimentDurability =
      switch kind >> 5 {
      case 0...4: .unsynced
      case 5: .interval(CrashOperation.interval)
      case 6: .interval(CrashOperation.longInterval)
      default: .synced
      }
    switch kind & 31 {
    case 0...4: return .set(place(&reader), byteCount: byteCount(&reader), durability)
    case 5, 6: return .remove(place(&reader), durability)
    case 7, 8: return .batch(members(&reader), durability)
    case 9 where !isBlind: return .update(place(&reader), durability)
    case 10 where !isBlind: return .setIfAbsent(place(&reader), byteCount: byteCount(&reader), durability)
    case 11 where !isBlind:
      let lifetime: Duration? = kind & 32 == 0 ? nil : .milliseconds(25)
      return .setExpiry(place(&reader), lifetime: lifetime, durability)
    case 12:
      return .set(
        place(&reader), byteCount: byteCount(&reader), lifetime: .milliseconds(30), durability)
    case 13: return .clear(place(&reader).collection, durability)
    case 14: return .drop("a", durability)
    case 15: return .removeEverything(durability)
    case 16: return .checkpoint
    case 17: return .compact
    case 18: return .storeIndex
    case 19: return .wait
    case 20, 21: return .background
    case 22: return .reopen
    default: return .sync
    }
  }

  private static func place(_ reader: inout InputReader) -> CrashOperation.Place {
    let byte = Int(reader.byte())
    let collections = ["", "", "a", "b"]
    return CrashOperation.Place(
      CrashOperation.keys[byte % CrashOperation.keys.count], in: collections[byte / 64])
  }

  /// Half of the sizes are short, some fill a slot, and a few are those of large values.
  private static func byteCount(_ reader: inout InputReader) -> Int {
    let byte = Int(reader.byte())
    switch byte {
    case ..<128: return byte
    case ..<240: return (byte - 127) * 100
    default: return 131_000 + byte
    }
  }

  private static func members(
    _ reader: inout InputReader
  ) -> [(place: CrashOperation.Place, byteCount: Int?)] {
    (0...Int(reader.byte() & 3)).map { _ in
      let place = place(&reader)
      let byteCount = byteCount(&reader)
      return (place, byteCount == 0 ? nil : byteCount)
    }
  }

  private static func fault(_ reader: inout InputReader, isForGood: Bool) -> Step {
    let codes = [
      SystemErrorCode.inputOutput, .noSpace, .quotaExceeded, .interrupted, .tooManyOpenFiles, .noMemory,
    ]
    let choice = Int(reader.byte())
    let code = codes[choice % codes.count]
    let effect: FaultEffect =
      switch choice / 64 {
      case 0: .error(code)
      case 1: .errorAfterwards(code)
      case 2: .shortWrite(byteCount: Int(reader.byte()) * 3, code)
      default: .droppedSync(code)
      }
    return .fault(effect, after: Int(reader.byte()), isForGood: isForGood)
  }
}
