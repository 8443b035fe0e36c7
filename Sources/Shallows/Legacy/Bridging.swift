/// The object of Foundation's older classes that stands for a value; `as` does this on Apple's systems alone.
func objectiveCValue<Value: _ObjectiveCBridgeable>(_ value: Value) -> Value._ObjectiveCType {
  value._bridgeToObjectiveC()
}

/// The value that an object of Foundation's older classes stands for.
func swiftValue<Value: _ObjectiveCBridgeable>(_ object: Value._ObjectiveCType) -> Value {
  ._unconditionallyBridgeFromObjectiveC(object)
}
