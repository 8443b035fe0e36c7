import Sediment
import SedimentTesting

let disk = SimulatedDisk(seed: 1)
let background = ManualBackground()
let store = try SedimentStore(path: "/notes", disk: disk, background: background)

try store.set("Buy bread", forKey: "note:1", durability: .synced)
try store.set("Call Ada", forKey: "note:2", durability: .unsynced)
