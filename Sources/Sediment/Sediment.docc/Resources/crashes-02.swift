import Sediment

let store = try SedimentStore(path: "notes.sediment")

for number in 1...1_000 {
  try store.set("Note \(number)", forKey: "note:\(number)", durability: .unsynced)
}
try store.sync()

try store.close()
