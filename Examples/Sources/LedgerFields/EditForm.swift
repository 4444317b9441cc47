import KeyValueObserving
import LedgerModel

/// The fields of one object of the model, bound both ways.
///
/// A text typed into a field is parsed, validated by the model's class, and set. The model's
/// changes, by undoing for example, appear in the field. A text that the model rejects stays in its
/// field, next to the reason, and the model keeps its value.
@KeyValueObservable
package final class EditForm {
  /// For a category, it follows the name through a one-way binding.
  package var title = ""
  package let fields: [TextField]
  private var bindings: [KeyValueBinding]
  private let isPresent: () -> Bool

  private init(_ bound: [BoundField], while isPresent: @escaping () -> Bool) {
    fields = bound.map(\.field)
    bindings = bound.map(\.binding)
    self.isPresent = isPresent
  }

  /// Whether the edited object still belongs to the account.
  @DependsOn()  // read, not observed
  package var isOpen: Bool { isPresent() }

  package func field(_ label: String) -> TextField? {
    fields.first { $0.label == label }
  }
}

extension EditForm {
  package convenience init(_ transaction: Transaction) {
    self.init(
      [
        BoundField("amount", of: transaction.kvo.amount, .amount),
        BoundField("category", of: transaction.kvo.categoryName, .text),
        BoundField("note", of: transaction.kvo.note, .text),
      ],
      while: { [weak transaction] in
        transaction?.account?.transactions.contains { $0 === transaction } ?? false
      })
    title = "transaction \(transaction.number)"
  }

  package convenience init(_ category: Category) {
    self.init(
      [
        BoundField("name", of: category.kvo.name, .text),
        BoundField("budget", of: category.kvo.budget, .optionalAmount),
      ],
      while: { [weak category] in
        category?.account?.categories.contains { $0 === category } ?? false
      })
    bindings.append(category.kvo.name.bind(to: kvo.title) { "category \($0)" })
  }
}

/// A field and the binding to its property.
private struct BoundField {
  let field: TextField
  let binding: KeyValueBinding

  init<Object: KeyValueObservable, Value>(
    _ label: String, of path: KeyValueBoundPath<Object, Value>,
    _ transformer: KeyValueTransformer<Value, String>
  ) {
    let field = TextField(label)
    self.field = field
    binding = path.bindTwoWay(
      to: field.kvo.text, transformer: transformer, validates: true,
      // Weak, because the field's observers hold this closure.
      onError: { [weak field] error in field?.problem = "\(error)" })
  }
}
