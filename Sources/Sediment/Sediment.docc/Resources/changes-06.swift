import Sediment

let store = try SedimentStore(path: "notes.sediment")
let drafts = try store.collection("drafts")

try drafts.set("Call Ada", forKey: "2", expiresIn: .seconds(24 * 3600))
if let draft = try drafts.retrieveExpiring(forKey: "2", as: String.self) {
  print(draft.value, draft.expiry == .never ? "stays" : "expires")
}

try store.close()
