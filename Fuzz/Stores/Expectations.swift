package import Sediment
package import SedimentTesting

internal import FuzzSupport

/// Ends the program unless the condition holds.
package func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
  if !holds { fail(otherwise()) }
}

/// What the body returns, or the store's error that it throws; another error ends the program.
package func outcome<Result>(_ body: () throws -> Result) -> Swift.Result<Result, SedimentError> {
  do {
    return .success(try body())
  } catch let error as SedimentError {
    return .failure(error)
  } catch {
    fail("thrown was no SedimentError: \(error)")
  }
}

/// Ends the program if the disk has seen what would have ended a real process.
package func expectNoViolations(_ disk: SimulatedDisk) {
  expect(disk.violations.isEmpty, "\(disk.violations)")
}
