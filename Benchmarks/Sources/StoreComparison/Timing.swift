/// How long the loops of a comparison go on, in seconds.
package struct Timing: Sendable {
  /// The least time of a sample: shorter loops are repeated, and their times added.
  package var sample: Double

  /// How long the sample of a store in its steady state takes: several syncs of stores that sync each second.
  package var steadySample: Double

  /// The time between two looks at speed, space and pending work.
  package var window: Double

  /// The least time after which a store can be in its steady state.
  package var steadyMin: Double

  /// When a store that has not come to rest is measured all the same, and the row says so.
  package var steadyMax: Double

  /// How long steps are timed that come at a rate.
  package var paced: Double

  /// For how long a store has to be of the same size before that counts.
  package var still: Double

  /// After how long a load one by one goes on in batches.
  package var loadMax: Double

  package init(
    sample: Double, steadySample: Double, window: Double, steadyMin: Double, steadyMax: Double, paced: Double,
    still: Double, loadMax: Double
  ) {
    self.sample = sample
    self.steadySample = steadySample
    self.window = window
    self.steadyMin = steadyMin
    self.steadyMax = steadyMax
    self.paced = paced
    self.still = still
    self.loadMax = loadMax
  }

  /// The time between the syncs that a loop asks for.
  package var secondsBetweenSyncs: Double { steadySample / 4 }

  /// A run whose figures are kept.
  package static let full = Timing(
    sample: 1, steadySample: 4, window: 2, steadyMin: 30, steadyMax: 120, paced: 50, still: 2, loadMax: 60)

  /// A run of some minutes.
  package static let short = Timing(
    sample: 0.5, steadySample: 1, window: 0.2, steadyMin: 2, steadyMax: 4, paced: 5, still: 0.5, loadMax: 20)

  /// A run that only proves that everything works.
  package static let quick = Timing(
    sample: 0.005, steadySample: 0.01, window: 0.005, steadyMin: 0.01, steadyMax: 0.04, paced: 0.06,
    still: 0.01,
    loadMax: 1)

  /// The times of a test of some `seconds` for each loop.
  package static func scaled(toSeconds seconds: Double) -> Timing {
    Timing(
      sample: seconds / 4, steadySample: seconds / 2, window: seconds / 10, steadyMin: seconds / 2,
      steadyMax: seconds, paced: seconds, still: seconds / 4, loadMax: seconds)
  }
}
