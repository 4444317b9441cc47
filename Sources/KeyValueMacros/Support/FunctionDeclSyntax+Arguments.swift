import SwiftSyntax

extension FunctionDeclSyntax {
  /// For each argument of a call, trailing closures included, the position of the parameter that takes it.
  ///
  /// Nil if the call can't mean this function: a parameter may be left out only if it has a default or is variadic.
  func positions(of call: FunctionCallExprSyntax) -> [Int]? {
    let parameters = Array(signature.parameterClause.parameters)
    if let stated = call.statedLabels {
      let isOwn = stated == parameters.map(\.firstName.plainName)
      return isOwn && call.arguments.count == parameters.count ? Array(parameters.indices) : nil
    }
    var labels: [String?] = []
    for argument in call.arguments { labels.append(argument.label?.plainName ?? "_") }
    if call.trailingClosure != nil { labels.append(nil) }
    for closure in call.additionalTrailingClosures { labels.append(closure.label.plainName) }
    return positions(of: labels[...], among: parameters[...])
  }

  /// The same for the labels of the arguments that are left; nil is that of a closure which fits any parameter.
  private func positions(
    of labels: ArraySlice<String?>, among parameters: ArraySlice<FunctionParameterSyntax>
  ) -> [Int]? {
    guard let parameter = parameters.first else { return labels.isEmpty ? [] : nil }
    if let label = labels.first, label == nil || label == parameter.firstName.plainName {
      let further = parameter.isVariadic ? labels.dropFirst().prefix { $0 == "_" }.count : 0
      let own = Array(repeating: parameters.startIndex, count: 1 + further)
      let rest = positions(of: labels.dropFirst(own.count), among: parameters.dropFirst())
      if let rest { return own + rest }
    }
    let isOptional = parameter.defaultValue != nil || parameter.isVariadic
    return isOptional ? positions(of: labels, among: parameters.dropFirst()) : nil
  }

  /// What each parameter is given by arguments at these positions; a variadic one gets a collection.
  func given(_ arguments: [ValueOrigin], at positions: [Int]) -> [ValueOrigin] {
    signature.parameterClause.parameters.enumerated().map { index, parameter in
      var origin = ValueOrigin.opaque
      for (position, argument) in zip(positions, arguments) where position == index {
        origin = origin.union(argument)
      }
      if parameter.isVariadic, !origin.isOpaque { origin.isElements = true }
      return origin
    }
  }
}

extension FunctionParameterSyntax {
  fileprivate var isVariadic: Bool { ellipsis != nil || type.is(PackExpansionTypeSyntax.self) }
}

extension FunctionCallExprSyntax {
  /// How many arguments there are, trailing closures included.
  var argumentCount: Int {
    arguments.count + (trailingClosure == nil ? 0 : 1) + additionalTrailingClosures.count
  }

  /// The labels that the called name itself states: `title(of:)(account)`.
  fileprivate var statedLabels: [String]? {
    let name =
      calledExpression.as(MemberAccessExprSyntax.self)?.declName
      ?? calledExpression.as(DeclReferenceExprSyntax.self)
    return name?.argumentNames?.arguments.map(\.name.plainName)
  }
}
