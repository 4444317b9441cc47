import KeyValueObserving
import Testing

@testable import StartHere

@Test("The label follows the books and their pages")
func label() {
  let shelf = Shelf()
  var labels: [String] = []
  let observation = shelf.kvo.label.observe(options: .new) { _, change in
    labels.append(change.newValue ?? "")
  }
  let emma = Book("Emma", pages: 474)
  shelf.books.append(emma)
  emma.pages = 512
  shelf.books = []
  observation.invalidate()
  #expect(labels == ["books: 1, pages: 474", "books: 1, pages: 512", "books: 0, pages: 0"])
}
