import Sediment

let store = try SedimentStore(path: "notes.sediment")

try store.close()
