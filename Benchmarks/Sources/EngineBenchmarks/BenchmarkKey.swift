public import Sediment
public import StoreComparison

extension BenchmarkKey: SedimentBytes {
  /// Lends the 16 bytes where they lie.
  @inline(__always)
  public func withSedimentBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withBytes(body)
  }
}
