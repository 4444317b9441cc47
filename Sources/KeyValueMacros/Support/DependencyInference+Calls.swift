import SwiftSyntax

extension InferenceWalk {
  func call(_ node: FunctionCallExprSyntax) -> ValueOrigin {
    if let member = node.calledExpression.as(MemberAccessExprSyntax.self) {
      guard let base = member.base else {
        if member.declName.baseName.text == "now" { noteClock(".now()", at: node) }
        // `.made(self)`: the type isn't visible.
        readArguments(of: node, handingSelfTo: ".\(member.declName.baseName.plainName)")
        return .opaque
      }
      let isModule = base.as(DeclReferenceExprSyntax.self)?.baseName.text == "Swift"
      return isModule
        ? bareCall(node, member.declName.baseName) : memberCall(node, member, base)
    }
    if let name = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName {
      return bareCall(node, name)
    }
    if let name = node.calledExpression.collectionTypeName {
      if KnownNames.keyed.contains(name) { return dictionary(node) }
      return passed(readArguments(of: node), by: name)
    }
    if let closure = node.calledExpression.as(ClosureExprSyntax.self) {
      var given: [Int: ValueOrigin] = [:]
      for (index, argument) in node.arguments.enumerated() {
        let origin = evaluate(argument.expression)
        if !origin.isOpaque { given[index] = origin }
      }
      return closureResult(closure, elements: given)
    }
    use(node.calledExpression)
    readArguments(of: node, handingSelfTo: "a function")
    return .opaque
  }

  /// `describe()`, `max(a, b)`, `String(x)`.
  private func bareCall(_ node: FunctionCallExprSyntax, _ token: TokenSyntax) -> ValueOrigin {
    let name = token.plainName
    switch scope[name] {
    case .value(let origin, let alias):
      alias?.isUsed = true
      use(origin)
      readArguments(of: node, handingSelfTo: name)
      return .opaque
    case .function(let function, let depth):
      return result(of: function, arguments: node, at: depth)
    case nil: break
    }
    return ownCall(node, token, isQualified: false)
  }

  /// A call of the object's own method, or of a function.
  private func ownCall(
    _ node: FunctionCallExprSyntax, _ token: TokenSyntax, isQualified: Bool, ofSuper: Bool = false
  ) -> ValueOrigin {
    let name = token.plainName
    // `super` never names this class's own member, although the inference may follow its override.
    let isTypeMethod = isInTypeMethod && !isQualified
    if !ofSuper, let method = method(name, for: node, isTypeMethod: isTypeMethod) {
      return result(of: method.declaration, arguments: node)
    }
    if let property = model.property(name), !isTypeMethod {
      use(self.property(name, at: token))
      readArguments(of: node, handingSelfTo: name)
      if case .constant = property.kind { noteUnnotified("\(name)()", at: node) }
      return .opaque
    }
    if name.first?.isUppercase == true, !isQualified { return construction(node, name) }
    let isTypeVariable = model.typeMembers.contains(name) && !hasTypeMethod(name)
    let isKnown = KnownNames.functions.contains(name) || isTypeVariable
    if !isKnown || isQualified && !isTypeVariable {
      let callee = ofSuper ? "super.\(name)" : name
      note(.call("\(callee)(\(node.arguments.isEmpty ? "" : "…"))"), at: node)
      readArguments(of: node)
      return .opaque
    }
    noteClock(node, name)
    let isHarmless = KnownNames.harmlessFunctions.contains(name)
    let origin = readArguments(of: node, handingSelfTo: isHarmless ? nil : name)
    return KnownNames.passing.contains(name) ? passed(origin, by: name) : .opaque
  }

  /// `Date()`, `time(nil)`.
  private func noteClock(_ node: FunctionCallExprSyntax, _ name: String) {
    let labels = node.arguments.map { $0.label?.text }
    if KnownNames.clockFunctions.contains(name)
      || KnownNames.readsClock(creating: name, labels: labels)
    {
      noteClock("\(name)(\(node.arguments.isEmpty ? "" : "…"))", at: node)
    }
  }

  /// `String(x)`, `Array(a)`, `Report(self)`.
  private func construction(_ node: FunctionCallExprSyntax, _ name: String) -> ValueOrigin {
    if KnownNames.keyed.contains(name) { return dictionary(node) }
    noteClock(node, name)
    if name == "String", let first = node.arguments.first,
      ["describing", "reflecting"].contains(first.label?.text)
    {
      describe(evaluate(first.expression), in: name, at: first)
      return .opaque
    }
    let isHarmless = KnownNames.harmlessTypes.contains(name)
    let origin = readArguments(of: node, handingSelfTo: isHarmless ? nil : name)
    return KnownNames.passing.contains(name) ? passed(origin, by: name) : .opaque
  }

  /// The result of `zip(a, b)`, `max(a, b)` and `Array(a)`, given their arguments.
  private func passed(_ origin: ValueOrigin, by name: String) -> ValueOrigin {
    var result = origin.isElements ? origin : origin.withoutObject
    // A pair that contains another `zip`'s pairs counts as a pair.
    if name == "zip" {
      if !origin.isElements { result = result.deeper() }
      result.pair = .zipped
    }
    return result
  }

  /// The class's method that a call means; labels decide between methods of the same name.
  func method(
    _ name: String, for node: FunctionCallExprSyntax, isTypeMethod: Bool
  ) -> ObservableMethod? {
    let candidates = model.methods(name).filter { method in
      method.isTypeMethod == isTypeMethod && method.declaration.positions(of: node) != nil
    }
    // As Swift does, it prefers a method that takes just these arguments to defaults and variadic parameters.
    let count = node.argumentCount
    return candidates.min { abs($0.parameters.count - count) < abs($1.parameters.count - count) }
  }

  private func hasTypeMethod(_ name: String) -> Bool {
    model.methods(name).contains(where: \.isTypeMethod)
  }

  /// A call of a member: of the object itself, of a value on a path, or of an opaque value.
  private func memberCall(
    _ node: FunctionCallExprSyntax, _ member: MemberAccessExprSyntax, _ base: ExprSyntax
  ) -> ValueOrigin {
    let doubts = untraced.count
    let origin = evaluate(base)
    let name = member.declName.baseName.plainName
    if origin.paths == [[]], !origin.isElements {
      return ownCall(
        node, member.declName.baseName, isQualified: true, ofSuper: base.is(SuperExprSyntax.self))
    }
    // A doubt about the base is reported only once.
    let isInDoubt = origin.isOpaque && untraced.count > doubts
    let spelling = "\(base.shortSpelling.map { $0 + "." } ?? "")\(name)"
    if KnownNames.lockMethods.contains(name) { noteUnnotified(spelling, at: node) }
    if KnownNames.clockMethods.contains(name) { noteClock("\(spelling)(…)", at: node) }
    if isInDoubt {
      readArguments(of: node)
      return .opaque
    }
    if origin.isOpaque { return opaqueCall(node, name, base, spelling) }
    if let result = elementCall(node, name, of: origin) { return result }
    if let result = methodOfObject(origin, name, node, called: spelling) { return result }
    if origin.isElements, !node.arguments.isEmpty { hand(origin, to: spelling, at: node) }
    let isHarmless = KnownNames.harmlessMethods.contains(name)
    let arguments = readArguments(of: node, handingSelfTo: isHarmless ? nil : spelling)
    if KnownNames.elementPreserving.contains(name), isElementCall(node, name) {
      var elements = origin
      if !origin.isElements { elements = origin.withoutObject }
      if name == "enumerated" { elements.pair = .enumerated }
      if name == "adjacentPairs" || name == "minAndMax" { elements.pair = .parts(["0", "1"]) }
      elements = elements.deeper(by: KnownNames.levels(of: name))
      return KnownNames.elementJoining.contains(name) ? elements.union(arguments) : elements
    }
    use(origin)
    collect(arguments, name, base, node)
    if origin.isConstant, ![.value, .ownClass].contains(model.evidence(of: origin)) {
      noteUnnotified("\(spelling)(\(node.arguments.isEmpty ? "" : "…"))", at: node)
    }
    return .opaque
  }

  /// `result.append(employee)`: the local collection now leads to its new elements, too.
  private func collect(
    _ arguments: ValueOrigin, _ name: String, _ base: ExprSyntax, _ node: FunctionCallExprSyntax
  ) {
    guard ["append", "insert", "formUnion"].contains(name) else { return }
    // `append(contentsOf: employees)`
    let areElements = name == "formUnion" || node.arguments.first?.label?.text == "contentsOf"
    store(areElements ? arguments : arguments.collected, in: base)
  }

  /// A method of a type, or of an unknown value.
  private func opaqueCall(
    _ node: FunctionCallExprSyntax, _ name: String, _ base: ExprSyntax, _ spelling: String
  ) -> ValueOrigin {
    if model.isOwnType(base), hasTypeMethod(name) {
      if let method = method(name, for: node, isTypeMethod: true) {
        return result(of: method.declaration, arguments: node)
      }
      note(.call("\(spelling)(…)"), at: node)
      readArguments(of: node)
      return .opaque
    }
    if name == "now", node.arguments.isEmpty { noteClock("\(spelling)()", at: node) }
    noteSharedObject(base)
    let typeName = base.as(DeclReferenceExprSyntax.self)?.baseName.text
    let isHarmless =
      KnownNames.harmlessMethods.contains(name)
      || typeName.map(KnownNames.harmlessTypes.contains) ?? false
    collect(readArguments(of: node, handingSelfTo: isHarmless ? nil : spelling), name, base, node)
    return .opaque
  }

  /// Notes the read of an object that isn't a property's value.
  func noteSharedObject(_ base: ExprSyntax) {
    guard let member = base.unwrapped.as(MemberAccessExprSyntax.self), let type = member.base else {
      return
    }
    let name = member.declName.baseName.plainName
    if model.isOwnType(type) {
      guard let variable = model.typeVariable(name), !variable.binding.isComputed else { return }
      let evidence = model.evidence(of: variable.binding)
      if evidence == .ownClass || evidence == .observable || KnownNames.isSingleton(name) {
        note(.sharedObject(base.unwrapped.trimmedDescription), at: base)
      }
      return
    }
    guard let type = type.as(DeclReferenceExprSyntax.self)?.baseName.text,
      type.first?.isUppercase == true
    else { return }
    let evidence = model.evidence(ofTypeNamed: type)
    if evidence == .state || type.isOfApplesFrameworks {
      if evidence != .value { noteUnnotified(base.unwrapped.trimmedDescription, at: base) }
    } else if evidence != .value, KnownNames.isSingleton(name) {
      note(.sharedObject(base.unwrapped.trimmedDescription), at: base)
    }
  }

  /// Whether a call such as `first()` or `prefix(3)` has the shape of the standard library's.
  private func isElementCall(_ node: FunctionCallExprSyntax, _ name: String) -> Bool {
    name != "first" && name != "last" && node.trailingClosure == nil
  }

  // MARK: Methods

  /// Follows a function of the class or the getter, with the arguments as its parameters.
  ///
  /// `depth` is that of the scope that declares a local function.
  func result(
    of function: FunctionDeclSyntax, arguments node: FunctionCallExprSyntax?, at depth: Int? = nil
  ) -> ValueOrigin {
    guard let node else { return result(of: function, given: [], by: function, at: depth) }
    guard let positions = function.positions(of: node) else {
      // Another local function has the same name.
      note(.call("\(function.name.plainName)(…)"), at: node)
      readArguments(of: node)
      return .opaque
    }
    let given = function.given(arguments(of: node), at: positions)
    return result(of: function, given: given, by: node, at: depth)
  }

  /// Follows a function that `node` calls, with values for its parameters; without any, these are unknown.
  func result(
    of function: FunctionDeclSyntax, given: [ValueOrigin], by node: some SyntaxProtocol,
    at depth: Int? = nil
  ) -> ValueOrigin {
    if let depth {
      // A local function sees the locals around it, not its caller's.
      let callers = scope.cut(to: depth)
      defer { scope.append(callers) }
      return followed(function, given, by: node)
    }
    // Only types tell which of several methods with the same labels a call means.
    let labels = function.signature.parameterClause.parameters.map(\.firstName.plainName)
    let methods = model.methods(function.name.plainName).filter { method in
      method.labels == labels && method.isTypeMethod == function.modifiers.isTypeMember
    }
    return methods.reduce(ValueOrigin.opaque) {
      $0.union(followed($1.declaration, given, by: node, isSure: methods.count == 1))
    }
  }

  /// `isSure` says whether no other method could be the one that's called.
  private func followed(
    _ function: FunctionDeclSyntax, _ given: [ValueOrigin], by node: some SyntaxProtocol,
    isSure: Bool = true
  ) -> ValueOrigin {
    let id = function.id
    let call = FollowedCall(id: id, given: given)
    if let known = known[call] { return known }
    guard let outer = callStack.last(where: { $0.id == id }) else { return follow(function, call) }
    let exceeded = outer.exceeded(by: given)
    if !exceeded.isEmpty {
      // `weight(of: child)` inside `weight(of:)`: each call leads further. A change inside a value is a change of what
      // has the value.
      let isInValues = exceeded.allSatisfy {
        model.evidence(of: ValueOrigin(paths: [$0])) == .value
      }
      if isSure, !isInValues { note(.call("\(function.name.plainName)(…)"), at: node) }
    } else if let wider = outer.widened(by: given) {
      return known[wider] ?? follow(function, wider)
    }
    for origin in given { use(origin) }
    return .opaque
  }

  private func follow(_ function: FunctionDeclSyntax, _ call: FollowedCall) -> ValueOrigin {
    let given = call.given
    let parameters = function.signature.parameterClause.parameters
    let isMethod = function.parent?.is(MemberBlockItemSyntax.self) == true
    guard let body = function.body else {
      for origin in given { use(origin) }
      return .opaque
    }
    callStack.append(call)
    defer { callStack.removeLast() }
    let walk = {
      self.inScope {
        for (index, parameter) in parameters.enumerated() {
          let name = (parameter.secondName ?? parameter.firstName).plainName
          self.bind(name, to: given.indices.contains(index) ? given[index] : .opaque)
        }
        for origin in given.dropFirst(parameters.count) { self.use(origin) }
        return self.body(body.statements)
      }
    }
    // A method of the class sees no locals.
    guard isMethod else { return walk() }
    let result = member(isTypeMember: function.modifiers.isTypeMember, walk)
    known[call] = result
    return result
  }

  /// Follows a subscript of the class, with unknown arguments.
  func result(of declaration: SubscriptDeclSyntax) -> ValueOrigin {
    let id = declaration.id
    let call = FollowedCall(id: id)
    if let known = known[call] { return known }
    guard !isFollowing(id), let getter = declaration.accessorBlock?.getter else {
      return .opaque
    }
    callStack.append(call)
    defer { callStack.removeLast() }
    let result = member(isTypeMember: false) {
      for parameter in declaration.parameterClause.parameters {
        let name = (parameter.secondName ?? parameter.firstName).plainName
        self.scope.bind(name, to: .value(.opaque, nil))
      }
      return body(getter)
    }
    known[call] = result
    return result
  }

  /// Follows a getter of the class that isn't a key.
  func result(ofGetter statements: CodeBlockItemListSyntax, isTypeMember: Bool) -> ValueOrigin {
    let id = statements.id
    let call = FollowedCall(id: id)
    if let known = known[call] { return known }
    guard !isFollowing(id) else { return .opaque }
    callStack.append(call)
    defer { callStack.removeLast() }
    let result = member(isTypeMember: isTypeMember) { body(statements) }
    known[call] = result
    return result
  }
}

extension ExprSyntax {
  /// The collection type that a call of `Array<Employee>` or `[Employee]` creates.
  fileprivate var collectionTypeName: String? {
    if self.is(ArrayExprSyntax.self) { return "Array" }
    if self.is(DictionaryExprSyntax.self) { return "Dictionary" }
    let name = self.as(GenericSpecializationExprSyntax.self)?.expression
      .as(DeclReferenceExprSyntax.self)?.baseName.plainName
    return name.flatMap {
      KnownNames.passing.contains($0) || KnownNames.keyed.contains($0) ? $0 : nil
    }
  }

  /// The expression before `?` and `!`.
  fileprivate var unwrapped: ExprSyntax {
    if let chained = self.as(OptionalChainingExprSyntax.self) {
      return chained.expression.unwrapped
    }
    return self.as(ForceUnwrapExprSyntax.self)?.expression.unwrapped ?? self
  }

  /// The expression's spelling for a message: a chain of names, without `?` and `!`.
  fileprivate var shortSpelling: String? {
    let expression = unwrapped
    if let name = expression.as(DeclReferenceExprSyntax.self) { return name.baseName.text }
    guard let member = expression.as(MemberAccessExprSyntax.self) else { return nil }
    guard let base = member.base else { return member.trimmedDescription }
    return base.shortSpelling.map { "\($0).\(member.declName.baseName.text)" }
  }
}

extension ValueOrigin {
  /// Whether the value comes only from properties that never change.
  fileprivate var isConstant: Bool {
    !paths.isEmpty && paths.allSatisfy { $0.count == 1 && constants.contains($0[0]) }
  }
}

extension String {
  /// Whether the name begins like those in Apple's frameworks: `UIDevice`, `NSWorkspace`.
  fileprivate var isOfApplesFrameworks: Bool {
    let letters = Array(prefix(4))
    return letters.count == 4 && letters[0].isUppercase && letters[1].isUppercase
      && letters[2].isUppercase && letters[3].isLowercase
  }
}
