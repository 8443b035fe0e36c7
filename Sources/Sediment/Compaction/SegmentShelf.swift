internal import SedimentFormat

/// The shelves that segments stand on, by the part of them that has to be kept: the emptiest first.
///
/// Fifteen of sixteen parts; then what is hardly worth emptying, what wins a slot and else nothing, and what wins nothing.
package enum SegmentShelf {
  package static let count = 18
  /// The last shelf of which emptying a segment is worth its cost.
  package static let worthwhile = 15
  /// The last shelf of which emptying a segment wins something.
  package static let winning = 16

  /// A segment is not worth emptying for less than this part of it.
  package static let wonPartMin = 24
  private static let partCount = 16
  /// Where segments are small, a shelf is at least so wide: they do not move for each few records that die.
  private static let byteCountMin = 4096

  /// How many shelves in a row hold what stands on the first of them, for segments of so many bytes.
  private static func step(_ whole: Int) -> Int {
    whole >= partCount * byteCountMin ? 1 : whole >= partCount * byteCountMin / 2 ? 2 : 4
  }

  /// The shelf of a segment of which so many bytes have to be kept.
  package static func number(keeping byteCount: Int, of whole: Int) -> Int {
    let won = whole - min(byteCount, whole)
    if won * wonPartMin >= whole { return (min(byteCount, whole - 1) * partCount / whole) & -step(whole) }
    return won >= Limits.slotByteCount ? winning : winning + 1
  }

  /// The least bytes that a segment keeps which stands on a shelf.
  package static func leastByteCount(of shelf: Int, of whole: Int) -> Int {
    let worthwhileMax = whole - (whole + wonPartMin - 1) / wonPartMin
    switch shelf {
    case winning + 1: return max(whole - Limits.slotByteCount, worthwhileMax) + 1
    case winning: return worthwhileMax + 1
    default: return (shelf * whole + partCount - 1) / partCount
    }
  }
}
