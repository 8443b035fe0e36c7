import Sediment

let store = try SedimentStore(path: "notes.sediment")
try store.set("Buy bread", forKey: "note:1")
try store.set("Call Ada", forKey: "note:2")
try store.backup(to: "copy.sediment")
try store.close()

let options = SedimentOptions(mustExist: true, readOnly: true)
let copy = try SedimentStore(path: "copy.sediment", options: options)
print(try copy.retrieve(forKey: "note:1", as: String.self) ?? "")
try copy.close()
