import CrashModel
import FuzzStores
import Sediment
import SedimentTesting

/// Small files with every damage of a bit, a sector or the length, and with parts of what they were before.
///
/// All of it lies below a watermark, so nothing that is missing may pass for a torn tail: but for the last operation
/// where a file was not closed. Each 32nd case also has a file that lies; see `ForgedTrial`.
struct DamageLayer: SeededLayer {
  let name = "damage"
  let title = "files with flipped bits, cut, and with zeroed, doubled, swapped and old sectors"
  let unit = "damaged files"
  var caseCount: (short: Int, long: Int) { (short: 75_000, long: (try? Self.deck.get().count) ?? 1) }

  func replay(_ seed: UInt64) -> LayerResult {
    var result = LayerResult(count: 1, caseCount: 1)
    do {
      let (sample, damage) = try Self.deck.get().damage(seed)
      let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]
      let access = accesses[Int(seed / 7 % 3)]
      var trial = DamageTrial(sample, damage, access)
      trial.run()
      result.findings = trial.reasons.map { reason in
        let place = "\(sample.name), \(sample.bytes.count) bytes, \(access), \(damage)"
        return SeededFinding(seed: seed, finding: CrashFinding(place: place, reason: reason))
      }
    } catch {
      let finding = CrashFinding(place: "the files, before any damage", reason: "\(error)")
      result.findings = [SeededFinding(seed: seed, finding: finding)]
    }
    if seed % Self.forgedPeriod == 0 { result.add(replayForged(seed)) }
    return result
  }

  private static let forgedPeriod: UInt64 = 32

  private func replayForged(_ seed: UInt64) -> LayerResult {
    var trial = ForgedTrial(Dice(seed: seed / Self.forgedPeriod))
    trial.run()
    var result = LayerResult(count: 1)
    result.findings = trial.reasons.map { reason in
      SeededFinding(seed: seed, finding: CrashFinding(place: trial.place, reason: reason))
    }
    return result
  }

  private static let deck = Result { try DamageDeck() }
}
