extension ReadableStorageProtocol {
  /// The values of several keys, asked for one after another.
  @usableFromInline
  func answerEach(of keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    answerRest(of: keys, [])
  }

  private func answerRest(
    of keys: [Key], _ results: [ShallowsResult<ExpiringValue<Value>>]
  ) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    var results = results
    while results.count < keys.count {
      switch answer(withExpiryForKey: keys[results.count]) {
      case .ready(let result): results.append(result)
      case .pending(let start):
        let before = results
        return .pending { completion in
          let once = Once()
          // A key that is answered again later has been told already.
          start { result in
            guard once.isFirst() else { return }
            answerRest(of: keys, before + [result]).deliver(to: completion)
          }
        }
      }
    }
    return .value(results)
  }
}
