internal import FuzzStores
internal import FuzzSupport
internal import Sediment

/// Makes a damaged or forged store of the input, and lets the engine do with it all that it can.
///
/// The first byte names the seed, the second says how it is damaged and opened, the third what is done with it; the
/// rest are edits or, if the second says so, the choices of a forger. Ends the program if anything but a store's error comes of it, if a quick scan of its records sees
/// others than the one that decodes each, if a file that was damaged but not forged shows what it never held, or if
/// what was opened is not the same when it is opened again.
func check(_ input: [UInt8]) {
  if crashIsPlanted { return crashOnWord(input) }
  var reader = InputReader(input)
  let seed = SeedStore.all[reader.number(below: SeedStore.all.count)]
  let way = reader.byte()
  if way & 128 != 0 { return forge(reader) }
  let uses = Uses(rawValue: reader.byte())
  let rule = way & 1 == 0 ? nil : Mender.Rule(renumbers: way & 2 != 0)
  let damaged = DamagedStore(&reader, of: seed, mending: rule)
  compareScans(damaged)
  switch way >> 2 & 3 {
  case 0: compareWays(damaged)
  case 1: examine(damaged)
  default:
    let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]
    use(damaged, uses, accesses[Int(way >> 4 & 3) % 3], usesStoredIndex: way & 64 != 0)
  }
}

/// Makes a call with a file of lies that agree with each other; it costs no more than the bytes of the file allow.
private func forge(_ reader: InputReader) {
  var trial = ForgedTrial(Dice(reader))
  trial.runOne()
  expect(trial.reasons.isEmpty, "\(trial.place): \(trial.reasons)")
}
