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

  /// What a call's arguments lead to, which only a function that's followed reads; its trailing closures are read.
  ///
  /// Notes each `self` passed to the receiver, if one is named.
  func arguments(
    of node: FunctionCallExprSyntax, handingSelfTo receiver: String? = nil
  ) -> [ValueOrigin] {
    let origins = node.arguments.map { argument in
      let origin = evaluate(argument.expression)
      hand(origin, to: receiver, at: argument)
      return origin
    }
    use(node.trailingClosure.map(ExprSyntax.init))
    for closure in node.additionalTrailingClosures { use(ExprSyntax(closure.closure)) }
    return origins
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
    use(result(of: method.declaration, given: operands, by: node))
  }

  /// Reads the object's hash and equality, as a dictionary's key or a set's element.
  func hash(_ origin: ValueOrigin, at node: some SyntaxProtocol) {
    guard origin.isObject else { return }
    guard let method = model.methods("hash").first else {
      return note(.passesSelf("a subscript"), at: node)
    }
    use(result(of: method.declaration, given: [.opaque], by: node))
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
    let arguments = self.arguments(of: node, handingSelfTo: spelling)
    let call = "\(spelling)(\(node.arguments.isEmpty ? "" : "…"))"
    guard let method, let reads = self.reads(of: method, by: node, given: arguments) else {
      for argument in arguments { use(argument) }
      note(.call(call), at: node)
      return .opaque
    }
    let constants = arguments.reduce(into: Set<String>()) { $0.formUnion($1.constants) }
    if reads.isUntraced {
      for argument in arguments { use(argument) }
      note(.call(call), at: node)
    } else {
      use(ValueOrigin(paths: reads.paths).seen(byCallerOf: origin, constants: constants))
    }
    let result = reads.result.withoutObject.seen(byCallerOf: origin, constants: constants)
    return reads.result.isObject ? origin.union(result) : result
  }

  /// What a method reads of its object, which isn't the object of the getter being followed, and of its arguments.
  ///
  /// - Returns: Nil if the method is being followed.
  private func reads(
    of method: ObservableMethod, by node: FunctionCallExprSyntax, given arguments: [ValueOrigin]
  ) -> MethodReads.Entry? {
    let function = method.declaration
    guard !isFollowing(function.id), !callers.contains(function.id),
      let positions = function.positions(of: node)
    else { return nil }
    let given = function.given(arguments.map(\.ofCaller), at: positions)
    let call = FollowedCall(id: function.id, given: given)
    if let known = ofOtherObjects.entries[call] { return known }
    let walk = InferenceWalk(model: model, isRoot: isRoot)
    walk.callers = callers.union(callStack.map(\.id))
    walk.ofOtherObjects = ofOtherObjects
    let result = walk.result(of: function, given: given, by: node)
    let reads = MethodReads.Entry(
      paths: walk.recordedPaths.map { $0.split(separator: ".").map(String.init) }, result: result,
      isUntraced: !walk.untraced.isEmpty)
    ofOtherObjects.entries[call] = reads
    return reads
  }
}

/// Values in a method of another object: their paths begin at that object, and those of its arguments at the caller's.
extension ValueOrigin {
  /// The component before the paths that begin at the caller's object; it's no name.
  private static let callersMark = "^"

  /// An argument, as the other object's method sees it.
  fileprivate var ofCaller: ValueOrigin {
    var origin = self
    origin.paths = paths.map { [Self.callersMark] + $0 }
    return origin
  }

  /// A value of the other object's method, as the caller sees it.
  fileprivate func seen(
    byCallerOf object: ValueOrigin, constants: Set<String>
  ) -> ValueOrigin {
    let seen = self.paths.flatMap { path -> [[String]] in
      guard path.first == Self.callersMark else { return object.paths.map { $0 + path } }
      return [Array(path.dropFirst())]
    }
    return ValueOrigin(paths: seen, constants: constants)
  }

  /// The names of a path, from the object that it begins at.
  static func names(of path: [String]) -> [String] { Array(path.drop { $0 == callersMark }) }
}
