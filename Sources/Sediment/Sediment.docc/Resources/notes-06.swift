import Foundation
import Sediment

struct Note: Codable {
  var title: String
  var text: String
}

let store = try SedimentStore(path: "notes.sediment")

for number in 1...3 {
  let note = Note(title: "Note \(number)", text: "Buy bread")
  try store.set(JSONEncoder().encode(note), forKey: "note:\(number)")
}

for key in try store.keys(withPrefix: "note:") {
  guard let data = try store.retrieve(forKey: key, as: Data.self) else { continue }
  let found = try JSONDecoder().decode(Note.self, from: data)
  print(String(decoding: key, as: UTF8.self), found.title)
}

try store.close()
