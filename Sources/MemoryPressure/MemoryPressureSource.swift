/// Where a monitor learns of memory pressure.
package protocol MemoryPressureSource: Sendable {
  /// Why it will never tell anything; nil if it will.
  var unsupportedReason: String? { get }

  /// Begins to tell levels, from some thread and never before this has returned.
  func start(_ tell: @escaping @Sendable (MemoryPressureLevel) -> Void)

  /// Ends that; what is being told by now may still arrive.
  func stop()
}
