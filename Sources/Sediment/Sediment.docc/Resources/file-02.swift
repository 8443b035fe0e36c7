import Sediment

let store = try SedimentStore(path: "notes.sediment", options: SedimentOptions(compaction: .manual))
for round in 1...2 {
  for number in 1...5_000 {
    try store.set("Note \(number), for the time number \(round)", forKey: "note:\(number)")
  }
}

let before = store.statistics
try store.compact()
let after = store.statistics
print(after.liveKeyCount, after.deadByteCount < before.deadByteCount)

try store.close()
