/// How scarce memory is.
public enum MemoryPressureLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// There is enough.
  case normal
  /// It runs short: give back what can easily be made again.
  case warning
  /// The process is about to be stopped or to stand still: give back whatever can be spared.
  case critical

  /// Orders levels by how scarce memory is.
  public static func < (left: MemoryPressureLevel, right: MemoryPressureLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}
