import KeyValueObserving

extension Executor {
  func record(_ number: Int, _ object: Int, _ key: String) {
    guard let node = node(object) else { return }
    let recorder = recorders[number] ?? KeyValueChangeRecorder()
    recorders[number] = recorder
    reportingErrors { try recorder.record(node, key) }
    withExtendedLifetime(node) {}
  }

  /// Undoes or redoes a level.
  func takeBack(_ number: Int, _ body: (KeyValueChangeRecorder) throws -> Bool) {
    guard let recorder = recorders[number] else { return }
    reportingErrors { note(.answered("\(try body(recorder))")) }
  }

  func dropRecorders() {
    for number in recorders.keys.sorted() { recorders[number] = nil }
  }
}
