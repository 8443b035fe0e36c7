public import Sediment
public import StoreComparison

extension BenchmarkKey: SedimentBytes {
  /// Gives the 16 bytes to a closure.
  @inline(__always)
  public func withSedimentBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withBytes(body)
  }
}
