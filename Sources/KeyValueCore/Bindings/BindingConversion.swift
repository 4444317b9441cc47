/// The two functions of one binding, which needn't be Sendable.
struct BindingConversion<Input, Output> {
  /// From the source's value to the target's.
  let forward: (Input) throws -> Output
  /// From the target's value to the source's; never called by a one-way binding.
  let backward: (Output) throws -> Input
}

extension BindingConversion {
  init(_ transformer: KeyValueTransformer<Input, Output>) {
    self.init(forward: transformer.forward, backward: transformer.backward)
  }

  static func oneWay(_ transform: @escaping (Input) throws -> Output) -> BindingConversion {
    BindingConversion(forward: transform, backward: { _ in throw OneWay() })
  }
}

extension BindingConversion where Input == Output {
  static var identity: BindingConversion {
    BindingConversion(forward: { $0 }, backward: { $0 })
  }
}

extension BindingConversion where Input == Output? {
  /// Replaces nil with a placeholder.
  static func placeholder(_ placeholder: Output) -> BindingConversion {
    BindingConversion(forward: { $0 ?? placeholder }, backward: { .some($0) })
  }
}

/// Never thrown: a one-way binding doesn't call `backward`.
private struct OneWay: Error {}
