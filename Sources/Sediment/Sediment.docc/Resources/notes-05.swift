import Foundation
import Sediment

struct Note: Codable {
  var title: String
  var text: String
}

let store = try SedimentStore(path: "notes.sediment")

let note = Note(title: "Shopping", text: "Buy bread")
try store.set(JSONEncoder().encode(note), forKey: "note:1")

if let data = try store.retrieve(forKey: "note:1", as: Data.self) {
  let found = try JSONDecoder().decode(Note.self, from: data)
  print(found.title, found.text)
}

try store.close()
