import Sediment

let store = try SedimentStore(path: "notes.sediment")
try store.set("Buy bread", forKey: "note:1")

if let text = try store.retrieve(forKey: "note:1") {
  try store.batch { batch in
    batch.set(text, forKey: "archive:1")
    batch.remove(forKey: "note:1")
  }
}
print(try store.contains("note:1"), try store.contains("archive:1"))

try store.close()
