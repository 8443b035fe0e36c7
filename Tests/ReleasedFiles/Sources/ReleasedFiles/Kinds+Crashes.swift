import Sediment
import SedimentTesting

// MARK: The window and the stored index

/// Fills a store until it has a window, and lets compaction move a part.
private func fill(_ life: Life) throws {
  for round in 0..<3 {
    for number in 0..<400 where round == 0 || number % 3 == round {
      try life.set(pattern(number + round, count: 4000), "\(number)")
    }
    try life.sync()
    life.disk.advanceClocks(by: .seconds(2))
    life.background.advance(by: .seconds(2))
  }
  try life.store.compact()
}

/// Closed: with a window, and survivors.
func window() throws -> ReleasedFile {
  let life = try Life()
  try fill(life)
  for number in 0..<100 { try life.set("short \(number)", "\(number)") }
  try life.close()
  return life.file
}

/// Killed: the last records are in the window alone.
func windowKilled() throws -> ReleasedFile {
  let life = try Life()
  try fill(life)
  for number in 0..<100 { try life.set("in the window \(number)", "short \(number)") }
  return life.file
}

/// Opened beside an index of 6,000 keys that the close stored.
private func storeIndex() throws -> Life {
  let life = try Life()
  for number in 0..<6000 {
    try life.set(pattern(number, count: 200), "\(number)", in: number % 4 == 0 ? "some" : "")
  }
  try life.close()
  try life.reopen()
  precondition(life.store.statistics.storedIndexByteCount > 0, "no index was stored")
  return life
}

/// Closed: with a stored index.
func storedIndex() throws -> ReleasedFile {
  let life = try storeIndex()
  try life.close()
  return life.file
}

/// Killed: changes after what the stored index knows.
func storedIndexKilled() throws -> ReleasedFile {
  let life = try storeIndex()
  for number in 0..<300 {
    try life.set("new \(number)", "\(number * 2)")
    if number % 5 == 0 { try life.remove("\(number * 2 + 1)") }
  }
  try life.set("more", "one more", in: "another")
  return life.file
}

// MARK: Crashes

/// The power failed among sets that nothing had synced: a torn end of the log.
func powerLost() throws -> ReleasedFile {
  let life = try Life(access: .unmapped)
  for number in 0..<100 { try life.set(pattern(number, count: 300), "\(number)") }
  try life.sync()
  for number in 0..<60 { try life.set(pattern(number, count: 700), "later \(number)") }
  let moments = life.moments
  let state = life.disk.crashState
  // The first image with a torn sector in which some of the later sets are lost, and not all.
  for choice in state.plans(seed: 1) where !choice.tears.isEmpty {
    let image = state.afterPowerLoss(choice)
    let contents = try read(image)
    guard let moment = moments.firstIndex(of: contents) else {
      preconditionFailure("no moment of the history")
    }
    if moment > 5, moment < moments.count - 5 { return ReleasedFile(image, contents) }
  }
  preconditionFailure("no image has a part")
}

/// The process died in the middle of a batch, which does not count.
func batchCut() throws -> ReleasedFile {
  let life = try Life(access: .unmapped)
  for number in 0..<50 { try life.set("value \(number)", "\(number)") }
  try life.sync()
  let contents = life.contents
  let start = life.disk.crashPoint
  try life.batch((0..<80).map { ("\($0)", String(decoding: pattern($0, count: 900), as: UTF8.self), "") })
  let history = life.disk.history
  for point in start..<history.pointCount - 1 {
    let range = history.interruptionRange(at: point)
    guard range.count > 20_000 else { continue }
    let image = history.state(at: point, interruptedAfter: range.count / 2).afterProcessDeath()
    let found = try read(image)
    precondition(found == contents, "half a batch counts")
    return ReleasedFile(image, contents)
  }
  preconditionFailure("no write has half of the batch")
}

/// The backup of an open store: a log that ends as after a cut, and a lineage.
func backup() throws -> ReleasedFile {
  let life = try Life()
  try fill(life)
  for number in 0..<100 { try life.set("before the backup \(number)", "short \(number)") }
  try life.store.backup(to: "/copy")
  let contents = life.contents
  try life.set("after", "after the backup")
  return ReleasedFile(life.disk, contents, path: "/copy")
}
