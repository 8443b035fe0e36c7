import Sediment

let store = try SedimentStore(path: "notes.sediment", options: SedimentOptions(compaction: .manual))
for round in 1...2 {
  for number in 1...5_000 {
    try store.set("Note \(number), for the time number \(round)", forKey: "note:\(number)")
  }
}

let figures = store.statistics
print(figures.liveKeyCount, figures.deadByteCount > 0)

try store.close()
