internal import CrashModel
internal import FuzzStores
internal import FuzzSupport
internal import Sediment
internal import SedimentTesting

/// Does to a store what the input says: operations, failing calls and crashes.
///
/// The first byte says how it is opened, the rest are steps. Ends the program if what is found after a crash is not
/// what the model allows, or an operation fails with anything but a store's error.
func check(_ input: [UInt8]) {
  if crashIsPlanted { return crashOnWord(input) }
  var reader = InputReader(input)
  let history = StoreHistory(scenario(reader.byte()))
  while !reader.isAtEnd, history.stepCount < StoreHistory.stepCountMax {
    history.take(Step(&reader, isBlind: history.scenario.mix.isBlind))
  }
  history.end()
}

private func scenario(_ choice: UInt8) -> EngineScenario {
  let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]
  var scenario = EngineScenario(accesses[Int(choice & 3) % 3])
  if choice & 12 == 12 {
    scenario.mix = .eviction
    scenario.evictingByteCount = 512 << 10
  }
  if choice & 16 != 0 { scenario.compression = .zstd(level: 1) }
  scenario.variesAccess = false
  scenario.hasFaults = true
  return scenario
}
