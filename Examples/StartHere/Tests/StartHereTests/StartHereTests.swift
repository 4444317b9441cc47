import KeyValueTesting
import Testing

@testable import StartHere

@Suite(.violationsFail)
struct ShelfTests {
  @Test("The label follows the books and their pages")
  func label() {
    let shelf = Shelf()
    let emma = Book("Emma", pages: 474)
    expectChanges(of: shelf.kvo.label) {
      shelf.books.append(emma)
      emma.pages = 512
      shelf.books = []
    } are: {
      change(shelf.kvo.label, new: "books: 1, pages: 474")
      change(shelf.kvo.label, new: "books: 1, pages: 512")
      change(shelf.kvo.label, new: "books: 0, pages: 0")
    }
  }
}
