import Foundation
import Sediment

let store = try SedimentStore(path: "notes.sediment")
try store.set("Buy bread", forKey: "note:1")
try store.set("Call Ada", forKey: "note:2")
try store.backup(to: "copy.sediment")
try store.close()

let url = URL(fileURLWithPath: "copy.sediment")
var bytes = try Data(contentsOf: url)
if let note = bytes.range(of: Data("Call Ada".utf8)) { bytes[note.lowerBound] ^= 1 }
try bytes.write(to: url)

let report = try SedimentStore.salvage(from: "copy.sediment", to: "saved.sediment")
print(report.isComplete, report.keyCount)
for loss in report.losses { print(loss) }
