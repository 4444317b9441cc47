import SwiftSyntax

/// The object itself as an argument, as an operand, and in a string.
extension InferenceWalk {
  /// Notes that other code receives `self`, if the value may be `self`.
  func hand(_ origin: ValueOrigin, to receiver: String?, at node: some SyntaxProtocol) {
    if let receiver, origin.isObject { note(.passesSelf(receiver), at: node) }
  }

  /// Reads a call's arguments and closures; notes each `self` passed to code that isn't visible.
  ///
  /// - Returns: What the unlabelled arguments, and elements to add, lead to, combined.
  @discardableResult
  func readArguments(of node: FunctionCallExprSyntax, handingSelfTo receiver: String? = nil)
    -> ValueOrigin
  {
    var result = ValueOrigin.opaque
    for argument in node.arguments {
      let origin = evaluate(argument.expression)
      use(origin)
      hand(origin, to: receiver, at: argument)
      if argument.label == nil || argument.label?.text == "contentsOf" {
        result = result.union(origin)
      }
    }
    use(node.trailingClosure.map(ExprSyntax.init))
    for closure in node.additionalTrailingClosures { use(ExprSyntax(closure.closure)) }
    return result
  }

  /// Reads a string's interpolations; an object of the class is printed by its description.
  func string(_ node: StringLiteralExprSyntax) -> ValueOrigin {
    for case .expressionSegment(let segment) in node.segments {
      for argument in segment.expressions {
        describe(evaluate(argument.expression), in: "a string", at: argument)
      }
    }
    return .opaque
  }

  /// Reads what printing a value reads.
  func describe(_ origin: ValueOrigin, in receiver: String, at node: some SyntaxProtocol) {
    use(origin)
    let isOwn = origin.isObject || model.evidence(of: origin) == .ownClass
    guard isOwn, !origin.isElements else { return }
    if model.property("description") != nil {
      for path in origin.paths {
        use(
          path.isEmpty
            ? property("description", at: node)
            : ValueOrigin(paths: [path]).appending("description"))
      }
    } else {
      hand(origin, to: receiver, at: node)
    }
  }

  /// Reads an operator with the object itself as an operand; follows the class's own operator.
  func operate(_ name: String, _ operands: [ValueOrigin], at node: some SyntaxProtocol) {
    guard operands.contains(where: \.isObject), !KnownNames.harmlessOperators.contains(name) else {
      return
    }
    let ways = ["!=": "==", ">": "<", ">=": "<", "<=": "<"]
    let candidates = [name, ways[name]].compactMap(\.self).flatMap(model.methods)
    guard let method = candidates.first(where: \.isTypeMethod), operands.count == 2 else {
      return note(.passesSelf(name), at: node)
    }
    use(result(of: method.declaration, given: operands))
  }

  /// Reads the object's hash and equality, as a dictionary's key or a set's element.
  func hash(_ origin: ValueOrigin, at node: some SyntaxProtocol) {
    guard origin.isObject else { return }
    guard let method = model.methods("hash").first else {
      return note(.passesSelf("a subscript"), at: node)
    }
    use(result(of: method.declaration, given: [.opaque]))
  }

  /// Follows a method of another object of the class, or of an object of a nested class.
  ///
  /// - Returns: Nil if it isn't clear that the value is such an object.
  func methodOfObject(
    _ origin: ValueOrigin, _ name: String, _ node: FunctionCallExprSyntax, called spelling: String
  ) -> ValueOrigin? {
    let evidence = model.evidence(of: origin)
    guard evidence == .ownClass || evidence == .observable, !origin.isObject else { return nil }
    let method = evidence == .ownClass ? method(name, for: node, isTypeMethod: false) : nil
    // The value may be a collection of such objects.
    guard method != nil || !KnownNames.isOfCollections(name) else { return nil }
    use(origin)
    readArguments(of: node, handingSelfTo: spelling)
    guard let method, !callStack.contains(method.declaration.id) else {
      note(.call("\(spelling)(\(node.arguments.isEmpty ? "" : "…"))"), at: node)
      return .opaque
    }
    let reads = self.reads(of: method)
    for path in reads.paths where !reads.isUntraced { use(origin.appending(path)) }
    if reads.isUntraced {
      note(.call("\(spelling)(\(node.arguments.isEmpty ? "" : "…"))"), at: node)
    }
    let result = reads.result
    return result.isObject
      ? origin
      : ValueOrigin(paths: origin.paths.flatMap { base in result.paths.map { base + $0 } })
  }

  /// A method's reads of its object, which isn't the object of the getter being followed.
  private func reads(of method: ObservableMethod) -> MethodReads.Entry {
    let id = method.declaration.id
    if let known = ofOtherObjects.entries[id] { return known }
    let walk = InferenceWalk(model: model, isRoot: isRoot)
    walk.callStack = callStack
    walk.ofOtherObjects = ofOtherObjects
    let result = walk.result(of: method.declaration, given: [])
    let reads = MethodReads.Entry(
      paths: walk.recordedPaths, result: result, isUntraced: !walk.untraced.isEmpty)
    ofOtherObjects.entries[id] = reads
    return reads
  }
}
