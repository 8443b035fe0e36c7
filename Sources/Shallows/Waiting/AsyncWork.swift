extension StorageAnswer {
  /// The result of an async closure.
  ///
  /// For a task that awaits it, it runs where tasks run; a thread that waits for it runs it itself; else it runs on
  /// `Workers`, since the threads of tasks are few, and who waits for the completion may hold them.
  @usableFromInline
  static func running(_ body: @escaping () async throws -> Value) -> StorageAnswer<Value> {
    .pending { completion in
      let body = Unchecked(body)
      let completion = Unchecked(completion)
      let caller = CallingThread.caller
      Task(executorPreference: caller == .awaits ? nil : Workers.shared) {
        let result: ShallowsResult<Value>
        do { result = .success(try await body.value()) } catch { result = .failure(error) }
        CallingThread.calling(for: caller) { completion.value(result) }
      }
    }
  }

  /// The answer with its value given to an async closure.
  func awaiting<Other>(_ transform: @escaping (Value) async throws -> Other) -> StorageAnswer<Other> {
    then { result in
      switch result {
      case .success(let value): .running { try await transform(value) }
      case .failure(let error): .failure(error)
      }
    }
  }
}
