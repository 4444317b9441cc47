import KeyValueObserving
import KeyValueTestSupport
import Testing

/// Its `init(from:)` takes another name than the key's.
@KeyValueObservable
private final class CodedContact: Codable {
  var name: String

  init(_ name: String) { self.name = name }

  enum CodingKeys: String, CodingKey {
    case name = "full_name"
  }
}

@KeyValueObservable
private final class ContactBook {
  var contacts: [CodedContact] = []
}

@KeyValueObservable
private final class CodedStop: Codable {
  var name: String

  init(_ name: String) { self.name = name }
}

@KeyValueObservable
private final class StopList {
  var stops: [CodedStop] = []
}

@Suite("G. Classes whose init(from:) doesn't find a name")
struct OtherCodingKeysTests {
  @Test("G4 a Codable class whose coding keys aren't its keys is refused with what to do")
  func renamed() throws {
    let book = ContactBook()
    book.contacts = [CodedContact("Ada")]
    let log = try KeyValueChangeLog(of: book)
    let (id, snapshot) = (try #require(log.id(of: book.contacts[0])), try log.snapshot())
    let error = #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(restoring: snapshot, as: ContactBook.self)
    }
    #expect(
      error.map { "\($0)" }
        == "Class 'ConformanceTests.CodedContact' can't be used here (object \(id)): its objects can't be made, "
        + "because its init(from:) asks for 'full_name', which is no stored key's name. Name it in `classes` with "
        + "a closure: KeyValueLogClass(CodedContact.self) { … }.")
    let copy = try KeyValueChangeLog(
      restoring: snapshot, as: ContactBook.self,
      classes: [KeyValueLogClass(CodedContact.self) { CodedContact(try $0.value("name")) }])
    #expect(copy.root.contacts.map(\.name) == ["Ada"])
  }

  @Test("G4 a key that a snapshot lacks isn't taken for another name") func lacking() throws {
    let list = StopList()
    list.stops = [CodedStop("Hill")]
    let log = try KeyValueChangeLog(of: list)
    var snapshot = try log.snapshot()
    let id = try #require(log.id(of: list.stops[0]))
    snapshot.objects[id]?.values["name"] = nil
    let error = #expect(throws: KeyValueLogError.self) {
      try KeyValueChangeLog(restoring: snapshot, as: StopList.self)
    }
    guard case .typeMismatch? = error else {
      Issue.record("\(error as Any)")
      return
    }
  }
}
