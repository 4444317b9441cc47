import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Finds the mistakes in a class's other roles.
struct ShapeDiagnostics {
  let model: ObservableClass
  let context: any MacroExpansionContext
  /// The protocols that the compiler asks the macro to add: those that the class doesn't conform to yet.
  let missing: [TypeSyntax]

  func run() {
    checkCoding()
    checkCodingElsewhere()
    checkObservation()
    checkInitializers()
    ForeignAnnouncementCheck(model: model, context: context).run()
  }

  private func report(
    _ message: ShapeMessage, at node: some SyntaxProtocol, fixIts: [FixIt] = []
  ) {
    context.report(.shape(message), at: node, fixIts: fixIts)
  }

  // MARK: Codable

  private func checkCoding() {
    let coding = CodingGeneration(model: model)
    guard coding.decodes || coding.encodes else { return }
    if model.codingKeys.isEmpty {
      guard coding.decodes else { return }
      for property in coding.stored where property.isInitializedConstant {
        report(.constantNotDecoded(property.name), at: property.token)
      }
      return
    }
    let names = Set(coding.stored.map(\.name))
    for keys in model.codingKeys {
      for key in keys.cases ?? [] where !names.contains(key.plainName) {
        report(.codingKeyWithoutProperty(key.plainName, type: model.name), at: key)
      }
      for property in coding.properties(without: keys) {
        report(.propertyWithoutCodingKey(property.name), at: property.token)
      }
    }
    if coding.decodes, model.lacksDesignatedInitializer, !model.isPlainlyRoot {
      report(.noInitializerLeft(model.name), at: model.declaration.name)
    }
  }

  /// A conformance outside the class's own clause: the superclass codes only its own properties, and
  /// Swift's synthesis in an extension would code the hidden storage.
  ///
  /// Of a class without a superclass, Swift's synthesis in an extension reports an error, with the message of
  /// `CodingElsewhere.refusals`.
  private func checkCodingElsewhere() {
    let coding = CodingGeneration(model: model)
    guard !model.isPlainlyRoot, model.codingKeys.isEmpty,
      !coding.stored.allSatisfy(\.isInitializedConstant)
    else { return }
    let elsewhere = CodingElsewhere(model, missing: missing)
    guard elsewhere.encodes || elsewhere.decodes else { return }
    report(
      .notCoded(
        model.name, conformance: elsewhere.conformance, methods: elsewhere.methods),
      at: model.declaration.name)
  }

  // MARK: Initialisers

  /// The declarations, including those under `#if` that are compiled, or may be.
  private func declarations(in members: MemberBlockItemListSyntax) -> [DeclSyntax] {
    members.flatMap { member -> [DeclSyntax] in
      guard let config = member.decl.as(IfConfigDeclSyntax.self) else { return [member.decl] }
      return model.active.clauses(of: config).flatMap { clause -> [DeclSyntax] in
        if case .decls(let inner) = clause.elements { declarations(in: inner) } else { [] }
      }
    }
  }

  private func checkInitializers() {
    for declaration in declarations(in: model.declaration.memberBlock.members) {
      if let declaration = declaration.as(DeinitializerDeclSyntax.self) {
        checkIsolation(of: declaration)
      }
      guard let generation = InitializerGeneration(declaration, in: model) else { continue }
      guard generation.isRewritable else {
        for (property, node) in generation.heard {
          report(.captureListInInitializer(property), at: node)
        }
        continue
      }
      for property in generation.properties {
        let rewriting = InitializerRewriting(property: property, in: generation.body)
        _ = rewriting.rewrite(generation.statements)
        for call in rewriting.missed {
          report(.observerRunsInInitializer(property), at: call)
        }
      }
    }
  }

  /// Outside its actor, a `deinit` may use a class's stored properties, but no accessors.
  private func checkIsolation(of declaration: DeinitializerDeclSyntax) {
    let attributes = declaration.attributes.all(in: model.active)
    guard let actor = model.globalActor, let body = declaration.body,
      !declaration.modifiers.contains(where: { $0.name.text == "isolated" }),
      !attributes.contains(where: \.isGlobalActor)
    else { return }
    let used = model.tracked.map(\.name).filter { name in
      let storage = EmittedNames.storage(of: name)
      let rewriting = ObserverRewriting(property: name, storage: storage)
      return rewriting.visit(body).description != body.description
    }
    guard !used.isEmpty else { return }
    let keyword = declaration.deinitKeyword
    let isolated = TokenSyntax.identifier(
      "isolated deinit", leadingTrivia: keyword.leadingTrivia,
      trailingTrivia: keyword.trailingTrivia)
    report(
      .accessorsInDeinit(used, actor: actor.plainName), at: keyword,
      fixIts: [.replace("add 'isolated'", keyword, by: isolated)])
  }

  // MARK: Observation

  private func checkObservation() {
    guard let attribute = model.attributes.observation else { return }
    var fixIts: [FixIt] = []
    if let own = model.attributes.first(named: EmittedNames.observableAttribute) {
      let tracking: AttributeSyntax =
        "@\(raw: EmittedNames.observableAttribute)(\(raw: EmittedNames.trackingLabel): true)"
      let elements = model.declaration.attributes.compactMap { element in
        switch element.as(AttributeSyntax.self)?.id {
        case attribute.id: AttributeListSyntax.Element?.none
        case own.id:
          .attribute(
            tracking.with(\.leadingTrivia, own.leadingTrivia)
              .with(\.trailingTrivia, own.trailingTrivia))
        default: element
        }
      }
      let attributes = AttributeListSyntax(elements)
        .with(\.leadingTrivia, model.declaration.attributes.leadingTrivia)
      fixIts = [
        .replace(
          "write '@KeyValueObservable(tracking: true)' alone", model.declaration.attributes,
          by: attributes)
      ]
    }
    report(.observation, at: attribute, fixIts: fixIts)
  }
}

extension [AttributeSyntax] {
  /// Observation's `@Observable`.
  var observation: AttributeSyntax? { first(named: "Observable") }
}
