public import CBench

// The loops that are timed, each built for the type of store it is about: nothing in them but the calls, and a comparison
// that shows each value to be the right one.

/// Sets one key after another to values that begin with their words, changed by a mask.
@inlinable
@inline(never)
public func setEach<Store: BenchmarkStore>(
  _ store: Store, _ keys: ArraySlice<BenchmarkKey>, _ value: [UInt8], mask: UInt64
) throws {
  var value = value
  try unsafe value.withUnsafeMutableBytes { bytes in
    for key in keys {
      unsafe mark(bytes, key.word ^ mask)
      // The bytes stay where they are, and nobody changes them during the call.
      try store.set(key, unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(bytes)))
    }
  }
}

/// The same with the first so many bytes of the value for each key.
@inlinable
@inline(never)
func setEachSized<Store: BenchmarkStore>(
  _ store: Store, _ keys: ArraySlice<BenchmarkKey>, _ byteCounts: ArraySlice<UInt16>, _ value: [UInt8],
  mask: UInt64
) throws {
  var value = value
  try unsafe value.withUnsafeMutableBytes { bytes in
    for (key, byteCount) in zip(keys, byteCounts) {
      let part = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[..<Int(byteCount)])
      unsafe mark(part, key.word ^ mask)
      // The bytes stay where they are, and nobody changes them during the call.
      try store.set(key, unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(part)))
    }
  }
}

/// Makes another value of one, which begins with this word.
@inlinable
@inline(__always)
public func mark(_ value: UnsafeMutableRawBufferPointer, _ first: UInt64) {
  unsafe bench_mark(value.baseAddress, value.count, first)
}

/// Reads keys into one buffer and counts those whose value is not theirs.
@inlinable
@inline(never)
func countWrongRetrieved<Store: BenchmarkStore>(
  _ store: Store, _ keys: ArraySlice<BenchmarkKey>, mask: UInt64
) throws -> Int {
  var wrongCount = 0
  var buffer: [UInt8] = []
  for key in keys {
    let isThere = try store.retrieve(key, into: &buffer)
    if !isThere || firstWord(unsafe buffer.span.bytes) != key.word ^ mask { wrongCount += 1 }
  }
  return wrongCount
}

/// The same where the values lie.
@inlinable
@inline(never)
func countWrongInPlace<Store: BenchmarkStore>(
  _ store: Store, _ keys: ArraySlice<BenchmarkKey>, mask: UInt64
) throws -> Int {
  var wrongCount = 0
  for key in keys {
    var word: UInt64 = 0
    let isThere = try store.withValue(key) { word = firstWord($0) }
    if !isThere || word != key.word ^ mask { wrongCount += 1 }
  }
  return wrongCount
}

/// The same of many keys a call.
@inlinable
@inline(never)
func countWrongBatched<Store: BenchmarkStore>(
  _ store: Store, _ keys: ArraySlice<BenchmarkKey>, mask: UInt64
) throws -> Int {
  var wrongCount = 0
  for start in stride(from: keys.startIndex, to: keys.endIndex, by: keysInACall) {
    let call = keys[start..<min(start + keysInACall, keys.endIndex)]
    try store.withValues(call) { number, value in
      guard let value, firstWord(value) == call[call.startIndex + number].word ^ mask else {
        wrongCount += 1
        return
      }
    }
  }
  return wrongCount
}

/// How many keys a call for many of them gets.
public let keysInACall = 1024

/// How many keys a batch or transaction sets.
public let keysInALoad = 100_000

/// Counts the keys that have a value, of which there should be none.
@inlinable
@inline(never)
func countFound<Store: BenchmarkStore>(_ store: Store, _ keys: ArraySlice<BenchmarkKey>) throws -> Int {
  var foundCount = 0
  var buffer: [UInt8] = []
  for key in keys where try store.retrieve(key, into: &buffer) { foundCount += 1 }
  return foundCount
}

/// Removes keys and counts those that were not there.
@inlinable
@inline(never)
func countNotRemoved<Store: BenchmarkStore>(_ store: Store, _ keys: ArraySlice<BenchmarkKey>) throws -> Int {
  var count = 0
  for key in keys where try !store.remove(key) { count += 1 }
  return count
}

/// Goes through all keys; returns how many there were with a value that is theirs.
@inlinable
@inline(never)
func countIterated<Store: BenchmarkStore>(_ store: Store, mask: UInt64) throws -> Int {
  var count = 0
  try store.forEach { key, value in
    if firstWord(value) == firstWord(key) ^ mask { count += 1 }
  }
  return count
}

/// Does the steps of a mixed load, each with its key, and counts the reads whose value was not the key's.
///
/// With a `schedule` each step waits until it is due, and the time from then to its end is counted: a step that waits for
/// a slow one before it is late, as it is for whoever asked for it.
@inlinable
@inline(never)
func countWrongInSteps<Store: BenchmarkStore>(
  _ store: Store, _ keys: ArraySlice<BenchmarkKey>, _ steps: ArraySlice<MixedStep>, _ value: [UInt8],
  mask: UInt64,
  _ schedule: StepSchedule?
) throws -> Int {
  var value = value
  var wrongCount = 0
  var buffer: [UInt8] = []
  try unsafe value.withUnsafeMutableBytes { bytes in
    for (step, key) in zip(steps, keys) {
      if let schedule { schedule.awaitNext() }
      if step.reads {
        let isThere = try store.retrieve(key, into: &buffer)
        if !isThere || firstWord(unsafe buffer.span.bytes) != key.word ^ mask { wrongCount += 1 }
      }
      if step.writes {
        unsafe mark(bytes, key.word ^ mask)
        // The bytes stay where they are, and nobody changes them during the call.
        try store.set(key, unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(bytes)))
      }
      if let schedule { schedule.stepEnded() }
    }
  }
  return wrongCount
}
