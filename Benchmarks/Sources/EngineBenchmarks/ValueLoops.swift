package import StoreComparison
package import Sediment

// The loops that are timed over values which differ: nothing in them but the calls, and a look at each value.

/// Sets each key to its value.
@inline(never)
package func setValues(_ store: SedimentStore, _ corpus: ValueCorpus, _ numbers: Range<Int>) throws {
  let bytes = unsafe corpus.bytes.span.bytes
  for number in numbers {
    try store.set(bytes.extracting(corpus.range(number)), forKey: corpus.keys[number])
  }
}

/// Reads values into a buffer that is used again, and counts those that are not the right ones.
@inline(never)
package func countWrongInBuffer(_ store: SedimentStore, _ marks: ArraySlice<ValueMark>) throws -> Int {
  var wrongCount = 0
  var buffer: [UInt8] = []
  for mark in marks {
    let isThere = try store.retrieve(forKey: mark.key, into: &buffer)
    if !isThere || !mark.fits(unsafe buffer.span.bytes) { wrongCount += 1 }
  }
  return wrongCount
}

/// Compares every byte of every value, and counts the values that differ; nobody times that.
package func countDifferent(_ store: SedimentStore, _ corpus: ValueCorpus) throws -> Int {
  var differentCount = 0
  for number in 0..<corpus.count {
    let value = try store.retrieve(forKey: corpus.keys[number])
    if value.map({ $0[...] == corpus.bytes[corpus.range(number)] }) != true { differentCount += 1 }
  }
  return differentCount
}
