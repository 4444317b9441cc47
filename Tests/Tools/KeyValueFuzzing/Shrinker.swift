/// Makes a failing program as small as possible.
package struct Shrinker {
  private let fails: (Program) -> Bool

  /// - Parameter fails: Whether a program still fails.
  package init(fails: @escaping (Program) -> Bool) {
    self.fails = fails
  }

  /// A failing program from which no step can be removed.
  package func shrink(_ program: Program) -> Program {
    var best = program
    var size: Int
    repeat {
      size = best.size
      best = simplified(withoutSteps(best))
    } while best.size < size
    return best
  }

  /// Removes ranges of steps, long ones first.
  private func withoutSteps(_ program: Program) -> Program {
    var best = program
    var length = max(1, best.operations.count / 2)
    while true {
      var start = 0
      while start < best.operations.count {
        var candidate = best
        candidate.operations.removeSubrange(start..<min(start + length, best.operations.count))
        if fails(candidate) { best = candidate } else { start += length }
      }
      if length == 1 { return best }
      length /= 2
    }
  }

  /// Removes steps of callbacks and transactions, and options, at any depth.
  private func simplified(_ program: Program) -> Program {
    replacing(program, by: Shrinker.simplerForms)
  }

  private static func simplerForms(_ operation: Operation) -> [Operation] {
    switch operation {
    case .register(let registration): simplerForms(registration)
    case .registerAll(let registration, let objects):
      simplerForms(registration).compactMap {
        if case .register(let form) = $0 { .registerAll(form, objects: objects) } else { nil }
      }
        + objects.indices.map { index in
          var fewer = objects
          fewer.remove(at: index)
          return .registerAll(registration, objects: fewer)
        }
    case .transaction(let batch): simplerForms(batch)
    case .bind(let binding): simplerForms(binding)
    default: []
    }
  }

  private static func simplerForms(_ binding: Binding) -> [Operation] {
    [\Binding.isTwoWay, \Binding.validates].filter { binding[keyPath: $0] }.map {
      var simpler = binding
      simpler[keyPath: $0] = false
      return .bind(simpler)
    }
  }

  private static func simplerForms(_ batch: Batch) -> [Operation] {
    var forms: [Batch] = []
    for (index, step) in batch.operations.enumerated() {
      for form in simplerForms(step) {
        var simpler = batch
        simpler.operations[index] = form
        forms.append(simpler)
      }
    }
    for index in batch.receivers.indices {
      var simpler = batch
      simpler.receivers.remove(at: index)
      forms.append(simpler)
    }
    for property in [\Batch.isRollingBack, \Batch.isFailing] where batch[keyPath: property] {
      var simpler = batch
      simpler[keyPath: property] = false
      forms.append(simpler)
    }
    for index in batch.operations.indices {
      var simpler = batch
      simpler.operations.remove(at: index)
      forms.append(simpler)
    }
    return forms.map { .transaction($0) } + batch.operations
  }

  private static func simplerForms(_ registration: Registration) -> [Operation] {
    var forms: [Operation] = []
    for (call, action) in registration.script.sorted(by: { $0.key < $1.key }) {
      for form in simplerForms(action) {
        var simpler = registration
        simpler.script[call] = form
        forms.append(.register(simpler))
      }
    }
    for bit in (0..<5).map({ UInt(1) << $0 }) where registration.options.rawValue & bit != 0 {
      var simpler = registration
      simpler.options.remove(.init(rawValue: bit))
      forms.append(.register(simpler))
    }
    if registration.lastCall != nil {
      var simpler = registration
      simpler.lastCall = nil
      forms.append(.register(simpler))
    }
    for call in registration.script.keys.sorted() {
      var simpler = registration
      simpler.script[call] = nil
      forms.append(.register(simpler))
    }
    return forms + registration.script.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Tries simpler forms of each step, and keeps those that still fail.
  private func replacing(_ program: Program, by forms: (Operation) -> [Operation]) -> Program {
    var best = program
    for index in best.operations.indices {
      var candidates = forms(best.operations[index])
      while let form = candidates.popLast() {
        var candidate = best
        candidate.operations[index] = form
        if fails(candidate) {
          best = candidate
          candidates = forms(form)
        }
      }
    }
    return best
  }
}
