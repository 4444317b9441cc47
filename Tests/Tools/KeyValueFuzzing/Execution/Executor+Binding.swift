import KeyValueObserving

extension Executor {
  func bind(_ binding: Binding) {
    let sides = [node(binding.source), node(binding.target)].compactMap(\.self)
    guard sides.count == 2, beginToken(binding.token) else { return }
    // Variables would release the sides in no particular order, and one that's alive may keep the other.
    let kept = Kept(sides)
    bindings[binding.token] = make(binding)
    if endRegistering(binding.token) { bindings[binding.token]?.invalidate() }
    kept.letGo()
  }

  private func make(_ binding: Binding) -> KeyValueBinding? {
    guard let source = node(binding.source), let target = node(binding.target) else { return nil }
    return Binder(binding) { [unowned self] error in
      note(.answered("t\(binding.token) \(FuzzNode.name(of: error))"))
    }.bind(source, target)
  }
}

/// Creates one binding.
private struct Binder {
  private typealias Path<Value> = @Sendable (FuzzNode) -> KeyValueBoundPath<FuzzNode, Value>

  private let binding: Binding
  private let onError: (any Error) -> Void

  init(_ binding: Binding, onError: @escaping (any Error) -> Void) {
    self.binding = binding
    self.onError = onError
  }

  private static let numberPaths: [String: Path<Int>] = [
    "number": { $0.kvo.number }, "width": { $0.kvo.width }, "doubled": { $0.kvo.doubled },
    "reach": { $0.kvo.reach }, "total": { $0.kvo.total },
    "items.@sum.number": { $0.kvo.items[sum: \.number] },
  ]
  private static let optionalPaths: [String: Path<Int?>] = [
    "next.number": { $0.kvo.next.number }, "peer.number": { $0.kvo.peer.number },
    "next.width": { $0.kvo.next.width },
  ]
  private static let numberKeys: [String: Path<Int>] = [
    "number": { $0.kvo.number }, "width": { $0.kvo.width }, "manual": { $0.kvo.manual },
    "pulse": { $0.kvo.pulse },
  ]

  func bind(_ source: FuzzNode, _ target: FuzzNode) -> KeyValueBinding? {
    if binding.path == "text" { return bindText(source, target) }
    if let path = Binder.optionalPaths[binding.path] { return bind(source, path, target) }
    return Binder.numberPaths[binding.path].flatMap { bind(source, $0, target) }
  }

  private func bindText(_ source: FuzzNode, _ target: FuzzNode) -> KeyValueBinding {
    binding.isTwoWay
      ? source.kvo.text.bindTwoWay(
        to: target.kvo.text, validates: binding.validates, onError: onError)
      : source.kvo.text.bind(to: target.kvo.text, validates: binding.validates, onError: onError)
  }

  private func bind(
    _ source: FuzzNode, _ path: Path<Int?>, _ target: FuzzNode
  ) -> KeyValueBinding? {
    guard let key = Binder.numberKeys[binding.key] else { return nil }
    return binding.isTwoWay
      ? path(source).bindTwoWay(
        to: key(target), placeholder: -1, validates: binding.validates, onError: onError)
      : path(source).bind(
        to: key(target), placeholder: -1, validates: binding.validates, onError: onError)
  }

  private func bind(
    _ source: FuzzNode, _ path: Path<Int>, _ target: FuzzNode
  ) -> KeyValueBinding? {
    switch binding.transformation {
    case .digits:
      binding.isTwoWay
        ? path(source).bindTwoWay(
          to: target.kvo.text,
          transformer: KeyValueTransformer(
            forward: Transformation.text, backward: Transformation.number),
          validates: binding.validates, onError: onError)
        : path(source).bind(
          to: target.kvo.text, validates: binding.validates, transform: Transformation.text,
          onError: onError)
    case .plain:
      Binder.numberKeys[binding.key].map { key in
        binding.isTwoWay
          ? path(source).bindTwoWay(
            to: key(target), validates: binding.validates, onError: onError)
          : path(source).bind(
            to: key(target), validates: binding.validates, onError: onError)
      }
    case .lossy:
      Binder.numberKeys[binding.key].map { key in
        binding.isTwoWay
          ? path(source).bindTwoWay(
            to: key(target),
            transformer: KeyValueTransformer(
              forward: Transformation.lossyForward, backward: Transformation.lossyBackward),
            validates: binding.validates, onError: onError)
          : path(source).bind(
            to: key(target), validates: binding.validates,
            transform: Transformation.lossyForward, onError: onError)
      }
    }
  }
}

extension FuzzNode {
  /// The name by which the reference knows an error.
  static func name(of error: any Error) -> String {
    (error as? KeyValueCodingError)?.caseName ?? "refused"
  }
}
