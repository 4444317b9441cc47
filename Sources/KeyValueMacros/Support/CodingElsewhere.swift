import SwiftSyntax

/// The halves of `Codable` that a class has from a superclass or an extension, and whose methods its body lacks.
struct CodingElsewhere {
  let encodes: Bool
  let decodes: Bool
  private let model: ObservableClass

  /// `missing` are the protocols that the compiler asks the macro to add: those that the class doesn't
  /// conform to yet.
  init(_ model: ObservableClass, missing: [TypeSyntax]) {
    let coding = CodingGeneration(model: model)
    self.model = model
    encodes = !model.statedCoding.encodes && coding.lacksEncoding && !missing.asks(for: "Encodable")
    decodes = !model.statedCoding.decodes && coding.lacksDecoding && !missing.asks(for: "Decodable")
  }

  var conformance: String { encodes && decodes ? "Codable" : encodes ? "Encodable" : "Decodable" }

  /// The methods that would code the class's own properties.
  var methods: String {
    let decoding = decodes ? "'init(from:)'" : nil
    let encoding = encodes ? "'encode(to:)'" : nil
    return [decoding, encoding].compactMap(\.self).joined(separator: " and ")
  }

  /// Methods that can't be called, in place of those that the compiler can't write for a class without a
  /// superclass.
  ///
  /// The compiler's error would name the hidden storage; of these methods it prints the message. What an extension
  /// declares fits better, and so does a protocol's own implementation; then these mean nothing. In a class that
  /// isn't final, Swift itself says that decoding belongs in the class.
  var refusals: [String] {
    guard model.isPlainlyRoot, model.codingKeys.isEmpty else { return [] }
    let start = """
      @available(*, unavailable, message: "write '\(conformance)' in the declaration of \(model.name) itself: \
      the macro codes its properties there, and sees no extension")
      nonisolated \(model.memberAccess)
      """
    var members: [String] = []
    if encodes {
      members.append(
        """
        \(start)func encode<_$Coder>(to encoder: _$Coder) throws {
          Swift.fatalError()
        }
        """)
    }
    // Convenient, so that the class keeps the initialiser that Swift provides.
    if decodes, model.isFinal {
      members.append(
        """
        \(start)convenience init<_$Coder>(from decoder: _$Coder) throws {
          Swift.fatalError()
        }
        """)
    }
    return members
  }
}
