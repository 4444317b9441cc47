import KeyValueObserving

@KeyValueObservable
final class Book {
  var title: String
  var pages: Int

  init(_ title: String, pages: Int) {
    self.title = title
    self.pages = pages
  }
}

@KeyValueObservable
final class Shelf {
  var books: [Book] = []
  var label: String { "books: \(books.count), pages: \(books.reduce(0) { $0 + $1.pages })" }
}

@main
enum StartHere {
  static func main() {
    let shelf = Shelf()
    let observation = shelf.kvo.label.observe(options: [.old, .new]) { _, change in
      print(change)
    }
    let emma = Book("Emma", pages: 474)
    shelf.books.append(emma)
    emma.pages = 512
    withExtendedLifetime(observation) {}
  }
}
