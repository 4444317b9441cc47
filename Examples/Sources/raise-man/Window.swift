import FoundationKVO

private let documentKeyPaths = [
  "employees", "isEdited", "averageRaise",
]

/// Prints what a document's window would update.
@KeyValueObservable
class Window: NSObject {
  private static var context = 0

  let document: Document
  private var rows: [NSKeyValueObservation] = []

  init(document: Document) {
    self.document = document
    super.init()
    for keyPath in documentKeyPaths {
      document.addObserver(
        self, forKeyPath: keyPath, options: [.new, .old], context: &Window.context)
    }
  }

  deinit {
    for keyPath in documentKeyPaths {
      document.removeObserver(self, forKeyPath: keyPath, context: &Window.context)
    }
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {
    guard context == &Window.context, let change = change else {
      super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
      return
    }
    switch keyPath {
    case "employees":
      employeesDidChange(change)
    case "isEdited":
      guard change[.newKey] as? Bool != change[.oldKey] as? Bool else { break }
      print("  title: Untitled\(document.isEdited ? " (edited)" : "")")
    case "averageRaise":
      print("  average: \(percent(change[.newKey] as? Double ?? 0))")
    default:
      break
    }
  }

  private func employeesDidChange(_ change: [NSKeyValueChangeKey: Any]) {
    guard let rawKind = change[.kindKey] as? UInt, let kind = NSKeyValueChange(rawValue: rawKind)
    else { return }
    let row = (change[.indexesKey] as? IndexSet)?.first ?? 0
    switch kind {
    case .insertion:
      let names = (change[.newKey] as? [Employee] ?? []).compactMap(\.name)
      print("  row \(row) appears: \(names.joined(separator: ", "))")
    case .removal:
      let names = (change[.oldKey] as? [Employee] ?? []).compactMap(\.name)
      print("  row \(row) disappears: \(names.joined(separator: ", "))")
    default:
      print("  the table reloads \(document.employees.count) rows")
    }
    rows = document.employees.enumerated().map { index, employee in
      employee.observe(\.summary, options: [.new]) { _, change in
        print("  row \(index): \(change.newValue ?? "")")
      }
    }
  }

  // MARK: Actions

  /// Sets a value when editing of a text field ends.
  func commit(_ text: Any?, _ key: String, inRow row: Int) {
    let employee = document.employees[row]
    do {
      var value = text as AnyObject?
      try employee.validateValue(&value, forKey: key)
      document.command("Change of \(key.capitalized)") {
        employee.setValue(value, forKey: key)
      }
    } catch {
      print("  \(error.localizedDescription)")
    }
  }

  func undo() {
    print("Edit > \(document.undoManager.undoMenuItemTitle)")
    document.undoManager.undo()
  }

  func redo() {
    print("Edit > \(document.undoManager.redoMenuItemTitle)")
    document.undoManager.redo()
  }
}
