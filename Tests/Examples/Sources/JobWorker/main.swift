import Foundation
import Jobs
import Sediment

// Works on the jobs of a queue until there are none, or until it is killed. What it does it says in lines: `did 7` when
// a job's work is done, `acknowledged 7` when that is on the disk.

func say(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

let store = try SedimentStore(path: CommandLine.arguments[1])
let queue = try JobQueue(store)
// They were leased by the process that has died.
try queue.endLeases()

while let job = try queue.lease(for: .seconds(3600)) {
  switch (job.payload, job.attemptCount) {
  case ("impossible", 3...):
    try queue.bury(job)
    say("buried \(job.number)")
  case ("impossible", _), ("difficult", 1):
    try queue.retry(job, after: .zero)
    say("failed \(job.number)")
  default:
    say("did \(job.number)")
    try queue.acknowledge(job)
    say("acknowledged \(job.number)")
  }
}
try store.close()
