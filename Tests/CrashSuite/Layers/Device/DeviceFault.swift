import CrashModel
import Foundation
import SedimentTesting

/// What goes wrong with a device while a process uses a store on it, until the power fails.
struct DeviceFault {
  let description: String
  /// The command that lets it begin, and the one that ends it for the processes that follow, if it ends.
  let command: String
  let end: String?

  /// Whether reads of the store's file may give what its sectors had before.
  var givesOldBytes: Bool { command.hasPrefix(DeviceJob.oldReads) }

  /// One at random, of a device of so many bytes; nil for a device that is sound, as most are.
  static func random(_ byteCount: UInt64, using generator: inout SeededGenerator) -> DeviceFault? {
    let size = Int(byteCount)
    func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
    let begin = number(0..<size) & -4096
    let all = "0 \(size)"
    let part = "\(begin) \(min(begin + number(1..<size / 4), size))"
    switch number(0..<36) {
    case 0..<5:
      return DeviceFault("a flush fails", "fault flush 1 \(EIO) 0 \(all)")
    case 5..<9:
      return DeviceFault("writes fail for a time", "fault write \(number(1..<4)) \(EIO) 0 \(all)")
    case 9: return DeviceFault("writes of a part fail for good", "fault write -1 \(EIO) 0 \(part)")
    case 10:
      return DeviceFault(
        "all writes fail, until it is mended", "fault write -1 \(EIO) 0 \(all)", "fault write 0 0 0 0 0")
    case 11: return DeviceFault("discards fail", "fault zero -1 \(EOPNOTSUPP) 0 \(all)")
    case 12: return DeviceFault("flushes are slow", "fault flush 2 0 \(number(100..<1500)) \(all)")
    case 13: return DeviceFault("writes are slow", "fault write 2 0 \(number(100..<1500)) \(all)")
    case 14..<16: return DeviceFault("it has no more room", "room \(number(0..<64))", "room -1")
    case 16:
      return DeviceFault(
        "reads fail for a time", "fault read \(number(1..<6)) \(EIO) 0 \(all)")
    case 17:
      let distance = number(1..<16) * 4096
      return DeviceFault(
        "reads are misdirected", "misdirect \(number(1..<4)) \(distance) \(all)")
    case 18:
      let counts = "\([1, 3, 20, -1][number(0..<4)]) \([1, 8, 1 << 20][number(0..<3)])"
      return DeviceFault("reads give old bytes", "\(DeviceJob.oldReads)\(counts)")
    default: return nil
    }
  }

  private init(_ description: String, _ command: String, _ end: String? = nil) {
    (self.description, self.command, self.end) = (description, command, end)
  }
}
