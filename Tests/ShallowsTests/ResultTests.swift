import Shallows
import Testing

@Suite struct ResultTests {
  private struct Failure: Error, Equatable {}

  @Test func `Results are built and asked by name`() {
    let good: ShallowsResult<Int> = succeed(with: 1)
    #expect(good.value == 1 && good.error == nil && good.isSuccess && !good.isFailure)
    let bad: ShallowsResult<Int> = fail(with: Failure())
    #expect(bad.value == nil && bad.error is Failure && !bad.isSuccess && bad.isFailure)
  }

  @Test func `A result of nil is a success`() {
    let result: ShallowsResult<Int?> = succeed(with: nil)
    #expect(result.isSuccess)
  }

  @Test func `Unwrapping nothing throws the error asked for`() throws {
    #expect(try Optional(1).unwrap() == 1)
    #expect(throws: Optional<Int>.UnwrapError.self) { try Int?.none.unwrap() }
    #expect(throws: Failure()) { try Int?.none.unwrap(orThrow: Failure()) }
    let number = throwing { (text: String) in Int(text) }
    #expect(try number("12") == 12)
    #expect(throws: Optional<Int>.UnwrapError.self) { try number("x") }
  }
}
