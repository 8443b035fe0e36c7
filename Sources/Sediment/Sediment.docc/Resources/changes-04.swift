import Sediment

struct Refused: Error {}

let store = try SedimentStore(path: "notes.sediment")
try store.set("Buy bread", forKey: "note:1")

do {
  try store.batch { batch in
    batch.remove(forKey: "note:1")
    throw Refused()
  }
} catch is Refused {
  print("the note is still there:", try store.contains("note:1"))
}

try store.close()
