import SwiftSyntax

extension InferenceWalk {
  /// Follows statements in the current scope; the result is the last expression's.
  func block(_ statements: CodeBlockItemListSyntax) -> ValueOrigin {
    for statement in statements {
      if let function = statement.item.as(FunctionDeclSyntax.self) {
        scope.bind(function.name.plainName, to: .function(function, depth: scope.depth))
      }
    }
    var last = ValueOrigin.opaque
    for (index, statement) in statements.enumerated() {
      let isLast = index == statements.count - 1
      if case .decl(let declaration) = statement.item {
        walk(declaration)
        continue
      }
      var origin = ValueOrigin.opaque
      if case .expr(let expression) = statement.item { origin = evaluate(expression) }
      if case .stmt(let statement) = statement.item { origin = walk(statement) }
      if isLast { last = origin } else { use(origin) }
    }
    return last
  }

  /// Follows a block in a scope of its own; its value, if any, is only read.
  private func discard(_ block: CodeBlockSyntax?) {
    guard let block else { return }
    use(inScope { self.block(block.statements) })
  }

  private func walk(_ statement: StmtSyntax) -> ValueOrigin {
    if let expression = statement.as(ExpressionStmtSyntax.self) {
      return evaluate(expression.expression)
    }
    if let result = statement.as(ReturnStmtSyntax.self) {
      if let expression = result.expression {
        returned[returned.count - 1] = returned[returned.count - 1].union(evaluate(expression))
      }
    } else if let statement = statement.as(GuardStmtSyntax.self) {
      conditions(statement.conditions)
      discard(statement.body)
    } else if let statement = statement.as(WhileStmtSyntax.self) {
      inScope {
        conditions(statement.conditions)
        loop(statement.body)
      }
    } else if let statement = statement.as(RepeatStmtSyntax.self) {
      loop(statement.body)
      use(statement.condition)
    } else if let statement = statement.as(ForStmtSyntax.self) {
      walk(statement)
    } else if let statement = statement.as(DoStmtSyntax.self) {
      discard(statement.body)
      for clause in statement.catchClauses {
        inScope {
          scope.bind("error", to: .value(.opaque, nil))
          for item in clause.catchItems {
            if let pattern = item.pattern { bindOpaque(pattern) }
            use(item.whereClause?.condition)
          }
          discard(clause.body)
        }
      }
    } else if let statement = statement.as(DeferStmtSyntax.self) {
      discard(statement.body)
    } else if let statement = statement.as(ThrowStmtSyntax.self) {
      use(statement.expression)
    } else if let statement = statement.as(LabeledStmtSyntax.self) {
      return walk(statement.statement)
    } else if let statement = statement.as(YieldStmtSyntax.self) {
      for expression in statement.children(viewMode: .sourceAccurate) {
        if let expression = expression.as(ExprSyntax.self) { use(expression) }
      }
    }
    return .opaque
  }

  private func walk(_ statement: ForStmtSyntax) {
    let sequence = evaluate(statement.sequence)
    let isOfParts = sequence.isElements || sequence.pair != nil
    inScope {
      bind(statement.pattern, to: isOfParts ? sequence : sequence.deeper())
      use(statement.whereClause?.condition)
      loop(statement.body)
    }
  }

  /// Follows a body that runs again with the values of its first run.
  private func loop(_ body: CodeBlockSyntax) {
    discard(body)
    discard(body)
  }

  private func walk(_ declaration: DeclSyntax) {
    if let variable = declaration.as(VariableDeclSyntax.self) {
      for binding in variable.bindings { walk(binding) }
    } else if let config = declaration.as(IfConfigDeclSyntax.self) {
      for clause in model.active.clauses(of: config) {
        if case .statements(let statements) = clause.elements { use(block(statements)) }
      }
    }
  }

  private func walk(_ binding: PatternBindingSyntax) {
    if let value = binding.initializer?.value {
      let tuple = value.as(TupleExprSyntax.self)
      let names = binding.pattern.as(TuplePatternSyntax.self)
      if let tuple, let names, tuple.elements.count == names.elements.count,
        names.elements.count > 1
      {
        for (element, name) in zip(tuple.elements, names.elements) {
          bind(name.pattern, to: evaluate(element.expression))
        }
      } else {
        let origin = evaluate(value)
        let isEmptyDictionary = origin.isOpaque && binding.isVisiblyKeyed
        bind(binding.pattern, to: isEmptyDictionary ? .opaque.keyed : origin)
      }
    } else {
      bind(
        binding.pattern, to: binding.isVisiblyKeyed ? .opaque.keyed : .opaque, sharing: Alias())
    }
    if let statements = binding.accessorBlock?.implicitGetter { use(body(statements)) }
    for accessor in binding.accessorBlock?.named ?? [] {
      if let statements = accessor.body?.statements { use(body(statements)) }
    }
  }

  func conditions(_ conditions: ConditionElementListSyntax) {
    for element in conditions {
      if case .expression(let expression) = element.condition {
        use(expression)
      } else if case .optionalBinding(let binding) = element.condition {
        if let value = binding.initializer?.value {
          bind(binding.pattern, to: evaluate(value))
        } else if let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier {
          // `if let account` means `if let account = account`.
          bind(name.plainName, to: reference(to: name.plainName, at: name))
        }
      } else if case .matchingPattern(let matching) = element.condition {
        bind(matching.pattern, to: evaluate(matching.initializer.value))
      }
    }
  }

  func cases(of subject: ExprSyntax, _ list: SwitchCaseListSyntax) -> ValueOrigin {
    let origin = evaluate(subject)
    let alias = Alias()
    use(origin, unless: alias)
    return cases(list, of: origin, sharing: alias)
  }

  private func cases(
    _ list: SwitchCaseListSyntax, of origin: ValueOrigin, sharing alias: Alias
  ) -> ValueOrigin {
    var result = ValueOrigin.opaque
    for element in list {
      if case .ifConfigDecl(let config) = element {
        for clause in model.active.clauses(of: config) {
          guard case .switchCases(let inner) = clause.elements else { continue }
          result = result.union(cases(inner, of: origin, sharing: alias))
        }
      }
      guard case .switchCase(let clause) = element else { continue }
      inScope {
        if case .case(let label) = clause.label {
          for item in label.caseItems {
            bind(item.pattern, to: origin, sharing: alias)
            use(item.whereClause?.condition)
          }
        }
        let last = block(clause.statements)
        if clause.statements.count == 1 { result = result.union(last) } else { use(last) }
      }
    }
    return result
  }

  // MARK: Patterns

  /// Binds a pattern's names to a value.
  func bind(_ pattern: PatternSyntax, to origin: ValueOrigin) {
    let alias = Alias()
    use(origin, unless: alias)
    bind(pattern, to: origin, sharing: alias)
  }

  private func bind(_ pattern: PatternSyntax, to origin: ValueOrigin, sharing alias: Alias) {
    if let identifier = pattern.as(IdentifierPatternSyntax.self) {
      bind([identifier.identifier.plainName], to: origin, sharing: alias)
    } else if let binding = pattern.as(ValueBindingPatternSyntax.self) {
      bind(binding.pattern, to: origin, sharing: alias)
    } else if let tuple = pattern.as(TuplePatternSyntax.self) {
      for (index, element) in tuple.elements.enumerated() {
        if let part = origin.element("\(index)") {
          bind(element.pattern, to: part, sharing: alias)
        } else {
          bindOpaque(element.pattern)
        }
      }
    } else if let expression = pattern.as(ExpressionPatternSyntax.self)?.expression {
      bind(expressionPattern: expression, to: origin, sharing: alias)
    }
  }

  /// `x?`, `.some(x)` and `x as T` keep the value, `(x, y)` takes its parts, and payloads are opaque.
  private func bind(
    expressionPattern expression: ExprSyntax, to origin: ValueOrigin, sharing alias: Alias
  ) {
    if let pattern = expression.as(PatternExprSyntax.self)?.pattern {
      bind(pattern, to: origin, sharing: alias)
    } else if let optional = expression.as(OptionalChainingExprSyntax.self) {
      bind(expressionPattern: optional.expression, to: origin, sharing: alias)
    } else if let sequence = expression.as(SequenceExprSyntax.self),
      sequence.elements.contains(where: { $0.is(UnresolvedAsExprSyntax.self) }),
      let first = sequence.elements.first
    {
      bind(expressionPattern: first, to: origin, sharing: alias)
    } else if let call = expression.as(FunctionCallExprSyntax.self) {
      let isSome =
        call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "some"
      for argument in call.arguments {
        bind(
          expressionPattern: argument.expression, to: isSome ? origin : .opaque,
          sharing: isSome ? alias : Alias())
      }
    } else if let tuple = expression.as(TupleExprSyntax.self) {
      for (index, element) in tuple.elements.enumerated() {
        let part = tuple.elements.count == 1 ? origin : origin.element("\(index)")
        bind(
          expressionPattern: element.expression, to: part ?? .opaque,
          sharing: part == nil ? Alias() : alias)
      }
    } else {
      use(expression)
    }
  }

  func bindOpaque(_ pattern: PatternSyntax) {
    bind(pattern, to: .opaque, sharing: Alias())
  }
}
