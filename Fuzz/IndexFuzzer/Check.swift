internal import FuzzStores
internal import FuzzSupport
internal import Sediment

/// Opens a store by a stored index whose pages were edited.
///
/// The first byte names the seed, the second says how it is damaged and opened, the third what is done with it; the
/// rest are edits. A damaged index changes nothing but how the store is opened. With a forged one, and forged entries
/// of the catalogue about it, no key has a value that another had.
func check(_ input: [UInt8]) {
  if crashIsPlanted { return crashOnWord(input) }
  var reader = InputReader(input)
  let seed = SeedStore.indexed[reader.number(below: SeedStore.indexed.count)]
  let way = reader.byte()
  let uses = Uses(rawValue: reader.byte())
  let isForged = way & 1 != 0
  // No edit must become a record that says of a key what nobody ever said.
  let damaged = DamagedStore(
    &reader, of: seed, mending: isForged ? Mender.Rule(mendsIndex: true) : nil, isConfined: true
  ) { $0.kind == .indexPage || isForged && $0.kind == .indexParts }
  let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]
  read(damaged, alsoScanning: !isForged || way & 16 != 0)
  if way & 2 != 0 { use(damaged, uses, accesses[Int(way >> 2 & 3) % 3]) }
}
