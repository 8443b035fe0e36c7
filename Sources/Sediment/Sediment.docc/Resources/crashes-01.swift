import Sediment

let store = try SedimentStore(path: "notes.sediment")  // an interval of a second

try store.set("Buy bread", forKey: "note:1", durability: .synced)
try store.set("Call Ada", forKey: "note:2")

try store.close()
