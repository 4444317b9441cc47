import SwiftSyntax

/// Calls that pass elements to a closure in the standard library.
extension InferenceWalk {
  /// A method that takes an element-wise closure or key path; nil if the call isn't one.
  func elementCall(_ node: FunctionCallExprSyntax, _ name: String, of origin: ValueOrigin)
    -> ValueOrigin?
  {
    if let result = sorting(node, name, of: origin) { return result }
    guard let positions = KnownNames.elementMethods[name],
      let operation = elementOperation(of: node)
    else { return nil }
    var element = origin.element
    if name == "mapValues" || name == "compactMapValues" { element.pair = nil }
    var given: [Int: ValueOrigin] = [:]
    for argument in node.arguments where argument.expression != operation {
      let value = evaluate(argument.expression)
      use(value)
      // The accumulated value, or the elements of the other sequence.
      if ["reduce", "reductions"].contains(name), !value.isOpaque {
        given[0] = value
      } else if ["elementsEqual", "starts", "ends", "lexicographicallyPrecedes"].contains(name),
        !value.isOpaque
      {
        given[1] = value.element
      }
    }
    for position in positions where given[position] == nil { given[position] = element }
    let result = apply(operation, to: given, at: node)
    if name == "reduce" { return result.union(given[0] ?? .opaque) }
    if KnownNames.elementMapping.contains(name) {
      return ["map", "compactMap"].contains(name) ? result.collected : result
    }
    use(result)
    element.depth = origin.depth
    if KnownNames.elementGrouping.contains(name) {
      element.pair = .keyed
      return element
    }
    guard KnownNames.elementPreserving.contains(name) else { return .opaque }
    return origin.isElements ? element : element.deeper(by: KnownNames.levels(of: name))
  }

  /// `sorted(using: KeyPathComparator(\.age))`: the key paths belong to elements.
  private func sorting(_ node: FunctionCallExprSyntax, _ name: String, of origin: ValueOrigin)
    -> ValueOrigin?
  {
    guard name == "sorted" || name == "sort",
      let comparators = node.arguments.first(where: { $0.label?.text == "using" })?.expression
    else { return nil }
    use(comparators)
    use(origin)
    let finder = KeyPathFinder(viewMode: .sourceAccurate)
    finder.walk(comparators)
    for names in finder.found { use(follow(names, from: origin.element, at: node)) }
    return origin.elements
  }

  /// `Dictionary(grouping: employees) { $0.age }` and the other initialisers.
  func dictionary(_ node: FunctionCallExprSyntax) -> ValueOrigin {
    var (elements, element) = (ValueOrigin.opaque, ValueOrigin.opaque)
    var operation = node.trailingClosure.map(ExprSyntax.init)
    let labels = ["grouping", "uniqueKeysWithValues", "uniqueKeys"]
    for (index, argument) in node.arguments.enumerated() {
      let label = argument.label?.text
      if index == 0, label == nil || labels.contains(label ?? "") {
        let collection = evaluate(argument.expression)
        (elements, element) = (collection.elements, collection.element)
      } else if label == "by" || label == "uniquingKeysWith" {
        operation = argument.expression
      } else {
        use(argument.expression)
      }
    }
    use(elements)
    if let operation {
      let isGrouping = node.arguments.first?.label?.text == "grouping"
      if !isGrouping { element.pair = nil }
      let given = isGrouping ? [0: element] : [0: element, 1: element]
      use(apply(operation, to: given, at: node))
    }
    guard !elements.isOpaque else { return .opaque }
    elements.pair = .keyed
    return elements
  }

  /// The closure, key path or function of the class that an element-wise method calls.
  func elementOperation(of node: FunctionCallExprSyntax) -> ExprSyntax? {
    if let closure = node.trailingClosure { return ExprSyntax(closure) }
    return node.arguments.last { argument in
      argument.expression.is(ClosureExprSyntax.self)
        || argument.expression.is(KeyPathExprSyntax.self)
        || ownFunction(argument.expression) != nil
    }?.expression
  }

  /// The function of the class or the getter that an expression names; a local one has a depth.
  ///
  /// `count` is how many arguments the function is given; it decides between methods of the same name if the
  /// expression doesn't state the labels.
  private func ownFunction(_ expression: ExprSyntax, taking count: Int? = nil)
    -> (declaration: FunctionDeclSyntax, depth: Int?)?
  {
    let member = expression.as(MemberAccessExprSyntax.self)
    guard let reference = member?.declName ?? expression.as(DeclReferenceExprSyntax.self) else {
      return nil
    }
    let name = reference.baseName.plainName
    var isTypeMethod = isInTypeMethod
    if let member {
      guard let base = member.base else { return nil }
      isTypeMethod = model.isOwnType(base)
      guard isTypeMethod || isObject(base) else { return nil }
    } else if let local = scope[name] {
      guard case .function(let function, let depth) = local else { return nil }
      return (function, depth)
    }
    // Without labels, a property's name means the property.
    if !isTypeMethod, reference.argumentNames == nil, model.property(name) != nil { return nil }
    let labels = reference.argumentNames?.arguments.map { $0.name.plainName }
    let methods = model.methods(name).filter { $0.isTypeMethod == isTypeMethod }
    guard
      let method = methods.first(where: { $0.labels == labels })
        ?? methods.first(where: { $0.parameters.count == count }) ?? methods.first
    else { return nil }
    return (method.declaration, nil)
  }

  /// Whether a name means the object itself: `self`, or a local constant for it.
  private func isObject(_ expression: ExprSyntax) -> Bool {
    guard let name = expression.as(DeclReferenceExprSyntax.self)?.baseName.plainName else {
      return false
    }
    if case .value(let origin, _) = scope[name] { return origin == .object }
    return name == "self" && !isInTypeMethod
  }

  /// Reads what an element-wise operation reads of the elements; returns its result for one.
  func apply(
    _ operation: ExprSyntax, to given: [Int: ValueOrigin], at node: FunctionCallExprSyntax
  ) -> ValueOrigin {
    if let keyPath = operation.as(KeyPathExprSyntax.self) {
      let element = given[0] ?? .opaque
      guard let names = keyPath.keyNames else {
        use(element)
        return .opaque
      }
      return follow(names, from: element, at: node)
    }
    if let closure = operation.as(ClosureExprSyntax.self) {
      return closureResult(closure, elements: given)
    }
    let passed = (given.keys.max() ?? 0) + 1
    guard let (function, depth) = ownFunction(operation, taking: passed) else {
      use(operation)
      return .opaque
    }
    let count = function.signature.parameterClause.parameters.count
    let parts = destructuring(given, if: count == 2)
    // An extension may have the function that takes them all.
    for (index, origin) in parts where index >= count { use(origin) }
    let values = (0..<count).map { parts[$0] ?? .opaque }
    return result(of: function, given: values, by: node, at: depth)
  }
}

/// Finds key path literals.
private final class KeyPathFinder: SyntaxVisitor {
  var found: [[String]] = []

  override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
    if let names = node.keyNames { found.append(names) }
    return .visitChildren
  }
}
