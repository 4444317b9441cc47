import FoundationKVO

enum BookStatus: Int {
  case planned, inProgress, printed
}

@KeyValueObservable
class Author: Person {
  dynamic fileprivate(set) var books: [Book] = []

  private var rate = 0.1

  dynamic var royaltyRate: Double {
    get { rate }
    set {
      guard newValue != rate else { return }
      willChangeValue(forKey: "royaltyRate")
      rate = newValue
      didChangeValue(forKey: "royaltyRate")
    }
  }

  class func automaticallyNotifiesObserversOfRoyaltyRate() -> Bool { false }
}

@KeyValueObservable
class Book: NSObject {
  dynamic var title: String
  dynamic var isbn: String?
  dynamic var price = 0.0
  dynamic var status = BookStatus.planned
  dynamic var copiesInStock = 0
  dynamic var keywords: Set<String> = []
  dynamic var published: Date?

  dynamic weak var author: Author? {
    didSet {
      guard author !== oldValue else { return }
      oldValue?.mutableArrayValue(forKey: "books").remove(self)
      author?.mutableArrayValue(forKey: "books").add(self)
    }
  }

  init(title: String, price: Double = 0) {
    self.title = title
    self.price = price
    super.init()
  }

  var isAvailable: Bool { status == .printed && copiesInStock > 0 }

  class var keyPathsForValuesAffectingIsAvailable: Set<String> {
    ["status", "copiesInStock"]
  }

  var royalty: Double { price * (author?.royaltyRate ?? 0) }

  class func keyPathsForValuesAffectingRoyalty() -> Set<String> {
    ["price", "author.royaltyRate"]
  }

  func validateIsbn(_ ioValue: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
    guard let isbn = ioValue.pointee as? String else { return }
    let digits = isbn.replacingOccurrences(of: "-", with: "")
    guard digits.count == 13 else {
      throw ModelError.invalid(key: "isbn", reason: "thirteen digits")
    }
    ioValue.pointee = digits as NSString
  }

  override var description: String { title }
}
