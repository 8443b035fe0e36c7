import Sediment

let store = try SedimentStore(path: "notes.sediment")

try store.set("Buy bread", forKey: "note:1")
let text = try store.retrieve(forKey: "note:1", as: String.self)
print(text ?? "there is no note")

try store.close()
