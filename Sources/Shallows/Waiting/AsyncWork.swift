extension StorageAnswer {
  /// The result of an async closure, which runs apart from the tasks' own threads: a thread of those may be waiting for
  /// it.
  @usableFromInline
  static func running(_ body: @escaping () async throws -> Value) -> StorageAnswer<Value> {
    .pending { completion in
      let body = Unchecked(body)
      let completion = Unchecked(completion)
      Task(executorPreference: ElasticThreads.shared) {
        let result: ShallowsResult<Value>
        do { result = .success(try await body.value()) } catch { result = .failure(error) }
        completion.value(result)
      }
    }
  }
}
