import Sediment

let store = try SedimentStore(path: "notes.sediment")
let notes = try store.collection("notes")
let drafts = try store.collection("drafts")

try drafts.set("Buy bread", forKey: "1")
try drafts.set("Call Ada", forKey: "2")

try store.batch { batch in
  batch.set("Buy bread", forKey: "1", in: notes)
  batch.remove(forKey: "1", in: drafts)
}
print(try notes.count(), try drafts.count())

try drafts.removeAll()
print(try notes.count(), try drafts.count())

try store.close()
