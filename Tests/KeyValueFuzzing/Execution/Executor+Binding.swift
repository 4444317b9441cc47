import KeyValueObserving

extension Executor {
  func bind(_ binding: Binding) {
    guard let source = node(binding.source), let target = node(binding.target),
      beginToken(binding.token)
    else { return }
    bindings[binding.token] = Binder(binding) { [unowned self] error in
      note(.answered("t\(binding.token) \(FuzzNode.name(of: error))"))
    }.bind(source, target)
    if endRegistering(binding.token) { bindings[binding.token]?.invalidate() }
    withExtendedLifetime((source, target)) {}
  }
}

/// Makes one binding.
private struct Binder {
  private typealias Path<Value> = KeyPath<
    KeyValuePath<FuzzNode, FuzzNode>, KeyValuePath<FuzzNode, Value>
  >

  private let binding: Binding
  private let onError: (any Error) -> Void

  init(_ binding: Binding, onError: @escaping (any Error) -> Void) {
    self.binding = binding
    self.onError = onError
  }

  nonisolated(unsafe) private static let numberPaths: [String: Path<Int>] = [
    "number": \.number, "width": \.width, "doubled": \.doubled, "reach": \.reach,
    "total": \.total, "items.@sum.number": \.items[sum: \.number],
  ]
  nonisolated(unsafe) private static let optionalPaths: [String: Path<Int?>] = [
    "next.number": \.next.number, "peer.number": \.peer.number, "next.width": \.next.width,
  ]
  nonisolated(unsafe) private static let numberKeys:
    [String: ReferenceWritableKeyPath<FuzzNode, Int>] = [
      "number": \.number, "width": \.width, "manual": \.manual,
    ]

  func bind(_ source: FuzzNode, _ target: FuzzNode) -> KeyValueBinding? {
    if binding.path == "text" { return bindText(source, target) }
    if let path = Binder.optionalPaths[binding.path] { return bind(source, path, target) }
    return Binder.numberPaths[binding.path].flatMap { bind(source, $0, target) }
  }

  private func bindText(_ source: FuzzNode, _ target: FuzzNode) -> KeyValueBinding {
    binding.isTwoWay
      ? source.bindTwoWay(
        \.text, to: target, \.text, validates: binding.validates, onError: onError)
      : source.bind(\.text, to: target, \.text, validates: binding.validates, onError: onError)
  }

  private func bind(
    _ source: FuzzNode, _ path: Path<Int?>, _ target: FuzzNode
  ) -> KeyValueBinding? {
    guard let key = Binder.numberKeys[binding.key] else { return nil }
    return binding.isTwoWay
      ? source.bindTwoWay(
        path, to: target, key, placeholder: -1, validates: binding.validates, onError: onError)
      : source.bind(
        path, to: target, key, placeholder: -1, validates: binding.validates, onError: onError)
  }

  private func bind(
    _ source: FuzzNode, _ path: Path<Int>, _ target: FuzzNode
  ) -> KeyValueBinding? {
    switch binding.transformation {
    case .digits:
      binding.isTwoWay
        ? source.bindTwoWay(
          path, to: target, \.text,
          transformer: KeyValueTransformer(
            forward: Transformation.text, backward: Transformation.number),
          validates: binding.validates, onError: onError)
        : source.bind(
          path, to: target, \.text, validates: binding.validates,
          transform: Transformation.text, onError: onError)
    case .plain:
      Binder.numberKeys[binding.key].map { key in
        binding.isTwoWay
          ? source.bindTwoWay(
            path, to: target, key, validates: binding.validates, onError: onError)
          : source.bind(path, to: target, key, validates: binding.validates, onError: onError)
      }
    case .lossy:
      Binder.numberKeys[binding.key].map { key in
        binding.isTwoWay
          ? source.bindTwoWay(
            path, to: target, key,
            transformer: KeyValueTransformer(
              forward: Transformation.lossyForward, backward: Transformation.lossyBackward),
            validates: binding.validates, onError: onError)
          : source.bind(
            path, to: target, key, validates: binding.validates,
            transform: Transformation.lossyForward, onError: onError)
      }
    }
  }
}

extension FuzzNode {
  /// What the reference knows of an error.
  static func name(of error: any Error) -> String {
    (error as? KeyValueCodingError)?.caseName ?? "refused"
  }
}
