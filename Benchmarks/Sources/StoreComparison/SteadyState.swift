/// Whether a store that is worked on has stopped changing: its speed, its space and the work that it has put off.
///
/// Twelve windows of work are compared, the last six with the six before them. A store that goes up and down is at rest,
/// too, if the two halves agree, or differ by less than such halves do by chance.
package struct SteadyState {
  /// What was seen in one stretch of work.
  package struct Window {
    package var seconds: Double
    package var nanosecondsAStep: Double
    package var byteCount: Int
    package var pendingWork: Int

    package init(seconds: Double, nanosecondsAStep: Double, byteCount: Int, pendingWork: Int) {
      self.seconds = seconds
      self.nanosecondsAStep = nanosecondsAStep
      self.byteCount = byteCount
      self.pendingWork = pendingWork
    }
  }

  private static let halfCount = 6
  /// By how much halves may differ, as a part of the earlier one.
  private static let speedTolerance = 0.05
  private static let spaceTolerance = 0.02
  private static let pendingTolerance = 0.1

  private let secondsMin: Double
  private let secondsMax: Double
  private var windows: [Window] = []

  /// For how long there was work.
  package private(set) var seconds = 0.0

  /// How large the store was at most.
  package private(set) var byteCountMax = 0

  package init(_ timing: Timing) {
    secondsMin = timing.steadyMin
    secondsMax = timing.steadyMax
  }

  /// Adds what was seen last.
  package mutating func add(_ window: Window) {
    windows.append(window)
    seconds += window.seconds
    byteCountMax = max(byteCountMax, window.byteCount)
  }

  /// Whether the store has come to rest.
  package var isReached: Bool {
    let count = 2 * SteadyState.halfCount
    guard seconds >= secondsMin, windows.count >= count else { return false }
    let last = windows.suffix(count)
    let (before, after) = (last.prefix(SteadyState.halfCount), last.suffix(SteadyState.halfCount))
    return agree(before, after, \.nanosecondsAStep, SteadyState.speedTolerance)
      && agree(before, after, { Double($0.byteCount) }, SteadyState.spaceTolerance)
      && agree(before, after, { Double($0.pendingWork) }, SteadyState.pendingTolerance)
  }

  /// Whether there is nothing to wait for: the store is at rest, or will not be.
  package var isOver: Bool { isReached || seconds >= secondsMax }

  private func agree(
    _ before: ArraySlice<Window>, _ after: ArraySlice<Window>, _ value: (Window) -> Double,
    _ tolerance: Double
  ) -> Bool {
    let (old, new) = (mean(before.map(value)), mean(after.map(value)))
    let chance = ((variance(before.map(value)) + variance(after.map(value))) / Double(SteadyState.halfCount))
      .squareRoot()
    return (new - old).magnitude <= max(tolerance * max(old, new), chance)
  }
}

private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

private func variance(_ values: [Double]) -> Double {
  let mean = mean(values)
  return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
}
