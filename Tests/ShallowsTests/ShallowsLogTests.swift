import Shallows
import Testing

/// One test, since there is one log.
@Suite struct ShallowsLogTests {
  @Test func `Messages are told while that is enabled, and not even made before`() {
    let told = Shared([String]())
    let lines = Shared([String]())
    ShallowsLog.send(to: { line in lines.change { $0.append(line) } })
    defer {
      ShallowsLog.isEnabled = false
      ShallowsLog.send(to: nil)
    }
    #expect(!ShallowsLog.isEnabled)
    ShallowsLog.write(made("before", in: told))
    ShallowsLog.isEnabled = true
    #expect(ShallowsLog.isEnabled)
    ShallowsLog.write(made("meanwhile", in: told))
    ShallowsLog.isEnabled = false
    ShallowsLog.write(made("after", in: told))
    #expect(told.value == ["meanwhile"])
    #expect(
      lines.value.contains("meanwhile") && !lines.value.contains("before") && !lines.value.contains("after"))
  }

  private func made(_ message: String, in told: Shared<[String]>) -> String {
    told.change { $0.append(message) }
    return message
  }
}
