import KeyValueObserving

/// Has no property `books`: accessor methods implement the key.
@KeyValueObservable
private class Library {
  @KeyValueIgnored fileprivate var shelf = ["Notes", "Sketch"]
  @KeyValueIgnored fileprivate let printer: TourPrinter

  init(_ printer: TourPrinter) { self.printer = printer }

  func countOfBooks() -> Int { shelf.count }
  func objectInBooks(at index: Int) -> String { shelf[index] }

  func insertObject(_ book: String, inBooksAt index: Int) {
    printer.heard("(insertObject \(book) at \(index))")
    shelf.insert(book, at: index)
  }

  func removeObject(fromBooksAt index: Int) {
    printer.heard("(removeObject at \(index))")
    shelf.remove(at: index)
  }
}

@KeyValueObservable
private final class ReplacingLibrary: Library {
  func replaceObject(inBooksAt index: Int, with book: String) {
    printer.heard("(replaceObject at \(index) with \(book))")
    shelf[index] = book
  }
}

@KeyValueObservable
private final class Label {
  var tags: Set<String> = ["new"]
  @NotifiesManually var marks: Set<String> = []

  func mark(_ new: Set<String>) {
    willChangeValue(forKey: "marks", withSetMutation: .union, using: new)
    marks.formUnion(new)
    didChangeValue(forKey: "marks", withSetMutation: .union, using: new)
  }
}

extension Scenario {
  static let accessors = Scenario(
    "accessors", on: .toManyRelationships,
    "a proxy uses the class's accessors, with and without replaceObject"
  ) { printer in
    func use(_ library: Library) throws {
      let observation = try library.observe("books", options: [.old, .new]) { _, change in
        printer.heard("books \(change)")
      }
      let books = try library.mutableArrayValue(forKey: "books")
      printer.step("books, which are \(books), append(\"Atlas\")")
      books.append("Atlas")
      printer.step("books.remove(at: 0)")
      books.remove(at: 0)
      printer.step("books[1] = \"Diary\"")
      books[1] = "Diary"
      withExtendedLifetime(observation) {}
    }
    printer.remark("in parentheses: the methods that are called")
    printer.remark("with insertObject, removeObject and replaceObject")
    try use(ReplacingLibrary(printer))
    printer.remark("without replaceObject")
    try use(Library(printer))
  }

  static let setAlgebra = Scenario(
    "setAlgebra", on: .toManyRelationships,
    "an unordered to-many property: only the elements that enter or leave"
  ) { printer in
    let label = Label()
    let tags = label.mutableSetValue(for: \.tags)
    printer.step("observe tags, which are [\"new\"], with old and new")
    let first = label.kvo.tags.observe(options: [.old, .new]) { _, change in
      printer.heard("tags \(change)")
    }
    printer.step("insert(\"urgent\")")
    tags.insert("urgent")
    printer.step("formUnion([\"new\", \"red\", \"big\"]): new is there already")
    tags.formUnion(["new", "red", "big"])
    printer.step("subtract([\"red\", \"blue\"]): blue is not there")
    tags.subtract(["red", "blue"])
    printer.step("formIntersection([\"new\", \"urgent\"])")
    tags.formIntersection(["new", "urgent"])
    printer.step("replaceAll(with: [\"urgent\", \"done\"])")
    tags.replaceAll(with: ["urgent", "done"])
    printer.step("remove(\"blue\") changes nothing, and reports an empty removal")
    tags.remove("blue")
    printer.step("label.tags = [\"old\"] sets the whole set")
    label.tags = ["old"]

    printer.remark("by hand: marks, which notify manually")
    printer.step("observe marks with old and new")
    let second = label.kvo.marks.observe(options: [.old, .new]) { _, change in
      printer.heard("marks \(change)")
    }
    printer.step("mark([\"bold\"]), then mark([\"bold\", \"wide\"])")
    label.mark(["bold"])
    label.mark(["bold", "wide"])
    withExtendedLifetime((first, second)) {}
  }
}
