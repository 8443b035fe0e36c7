import Sediment
import SedimentTesting

let disk = SimulatedDisk(seed: 1)
let background = ManualBackground()
let store = try SedimentStore(path: "/notes", disk: disk, background: background)

try store.set("Buy bread", forKey: "note:1", durability: .synced)
try store.set("Call Ada", forKey: "note:2", durability: .unsynced)

var synced = 0
var unsynced = 0
var ways = 0
let now = disk.crashState
for plan in now.plans(seed: 1) {
  let found = try SedimentStore(
    path: "/notes", disk: now.afterPowerLoss(plan), background: ManualBackground())
  ways += 1
  if try found.contains("note:1") { synced += 1 }
  if try found.contains("note:2") { unsynced += 1 }
}
print("the synced note is always there:", synced == ways)
print("the other one is not:", unsynced < ways)
