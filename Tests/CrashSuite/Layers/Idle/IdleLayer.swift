import Sediment
import SedimentTesting

/// Stores that are used in a few ways and then left alone: each comes to rest within a bounded number of jobs and calls the
/// disk no more, with nothing left undone (DESIGN.md 12, "Rest").
struct IdleLayer: SeededLayer {
  let name = "idle"
  let title = "stores left alone after workloads of all kinds: they come to rest, with nothing left undone"
  let unit = "rests"
  let caseCount = (short: 400, long: 10_000)

  func replay(_ seed: UInt64) -> LayerResult {
    var result = LayerResult(caseCount: 1)
    let plan = IdlePlan(seed: seed)
    do {
      var run = try IdleRun(plan, seed: seed)
      do {
        try run.run()
      } catch {
        result.findings.append(Self.finding(seed, "\(plan), after \(run.done)", "\(error)"))
      }
      result.count = run.restCount
    } catch {
      result.findings.append(Self.finding(seed, "\(plan), creation", "\(error)"))
    }
    return result
  }

  private static func finding(_ seed: UInt64, _ place: String, _ reason: String) -> SeededFinding {
    SeededFinding(seed: seed, finding: CrashFinding(place: "seed \(seed), \(place)", reason: reason))
  }
}

/// What the case of a seed does with a store, and how the store is opened.
struct IdlePlan: CustomStringConvertible {
  /// What is done with the store; the background works only while it rests, and in `rest`.
  enum Step: Hashable {
    /// New collections with one small value each, or none.
    case create(Int, nameByteCount: Int)
    /// Values, of which every second one replaces another.
    case set(Int, byteCount: Int)
    /// Values that expire after a second.
    case setExpiring(Int, byteCount: Int)
    case remove
    case removeAll
    case dropCollection
    case removeEverything
    case compact
    /// Time passes for clocks alone, as it does while nobody uses the store.
    case wait(Duration)
    case reopen
    case rest
    /// The next steps are done within a closure that reads in place.
    case stay
  }

  let access: SedimentOptions.Access
  let durability: SedimentDurability
  let capacity: SedimentCapacity
  let storesIndex: Bool
  let steps: [Step]

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func one<Element>(of elements: Element...) -> Element {
      elements[Int.random(in: 0..<elements.count, using: &generator)]
    }
    access = one(of: .automatic, .automatic, .windowless, .unmapped)
    durability = one(of: .unsynced, .interval(.milliseconds(5)), .interval(.seconds(1)), .synced)
    let byteCount = UInt64.random(in: 2 << 20...8 << 20, using: &generator)
    let anyCapacity: SedimentCapacity = one(
      of: .unlimited, .unlimited, .unlimited, .limited(maxBytes: byteCount), .evicting(maxBytes: byteCount))
    // A full store writes its catalogue again for each change that finds no room: with a large one that takes minutes.
    let hasLargeCatalogue = seed == 0 || seed % 40 == 1
    capacity = hasLargeCatalogue ? .unlimited : anyCapacity
    storesIndex = one(of: true, false)
    var steps: [Step] = []
    // Large catalogues take long: the first case has the largest, and some have more than a MiB.
    if seed == 0 { steps.append(.create(10_000, nameByteCount: 64)) }
    if hasLargeCatalogue, seed > 0 { steps.append(.create(5_000, nameByteCount: 255)) }
    for _ in 0..<Int.random(in: 2...7, using: &generator) {
      let count = one(of: 1, 10, 100, 1_000)
      let large = one(of: 140_000, 400_000, 1 << 20)
      let step: Step = one(
        of: .create(count, nameByteCount: one(of: 13, 255)), .set(count, byteCount: 200),
        .set(count, byteCount: 12_000), .set(one(of: 1, 8, 24), byteCount: large),
        .set(one(of: 1, 8, 24), byteCount: large), .setExpiring(count, byteCount: 200),
        .setExpiring(one(of: 1, 8), byteCount: large), .remove, .removeAll, .dropCollection,
        .removeEverything, .compact, .wait(.seconds(one(of: 1, 60, 700, 2_000))), .stay)
      steps.append(step)
      steps += one(of: [], [], [.rest], [.reopen], [.rest, .reopen])
    }
    self.steps = steps
  }

  /// The most bytes that the file may have; nil for any number.
  var byteCountMax: Int? {
    switch capacity {
    case .unlimited: nil
    case .limited(let byteCount), .evicting(let byteCount): Int(byteCount)
    }
  }

  var description: String {
    "\(access), \(durability), \(capacity), \(storesIndex ? "a" : "no") stored index"
  }
}
