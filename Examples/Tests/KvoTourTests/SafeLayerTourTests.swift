import Testing

@Suite("The tour: transactions, bindings and undo")
struct SafeLayerTourTests {
  @Test("performChanges reports several changes as one, or reverts all of them")
  func performChanges() throws {
    let text = try printed("performChanges")
    #expect(
      text == #"""
        performChanges: several changes, reported as one or rolled back as one (page Transactions)
          > observe fullName and books with old and new
          > set firstName and lastName, one after the other
              fullName setting, old: "Ada Lovelace", new: "Grace Lovelace"
              fullName setting, old: "Grace Lovelace", new: "Grace Hopper"
          > performChanges: set both again
              fullName setting, old: "Grace Hopper", new: "Katherine Johnson"
          > performChanges: books.append("Ubik"), insert("Dune", at: 0), removeLast()
              books insertion, indexes: 0, new: ["Dune"]
          an error rolls everything back
          > observe the balances of savings and checking, which are 50
          > move 30.0 from savings to checking; an overdraft throws
              savings setting, old: 50.0, new: 20.0
              checking setting, old: 50.0, new: 80.0
          > move 40.0 from savings to checking; an overdraft throws
              Overdraft(): savings 20.0, checking 80.0
        """#)
  }

  @Test("A binding makes a property follow another, or keeps two equal")
  func binding() throws {
    let text = try printed("binding")
    #expect(
      text == #"""
        binding: a property follows another, and two properties stay equal (page Bindings)
          one way
          > bind person.name to the text of form.field, which is nil
          > form.field = field
              field.text is "Ada"
          > person.name = "Grace"
              field.text is "Grace"
          > the binding ends; person.name = "Mary"
              field.text is "Grace"
          both ways, with a transformer and the key's validation
          > bind person.age, which is 36, to field.text
              field.text is "36"
          > field.text = "40"
              person.age is 40, field.text is "40"
          > field.text = "200"
              person.age is 120, field.text is "120"
          > field.text = "old"
              rejected: NotANumber()
              person.age is 120, field.text is "old"
        """#)
  }

  @Test("A recorder undoes and redoes; observers are notified of each change")
  func undo() throws {
    let text = try printed("undo")
    #expect(
      text == #"""
        undo: a recorder undoes and redoes; observers are notified of each change (page Undoing)
          > observe title and lines with old and new, and record both
          > title = "Letter"
              title setting, old: "Untitled", new: "Letter"
          > lines.append("Dear Ada,")
              lines insertion, indexes: 0, new: ["Dear Ada,"]
          > undo(): the insertion becomes a removal
              lines removal, indexes: 0, old: ["Dear Ada,"]
          > undo()
              title setting, old: "Letter", new: "Untitled"
          > redo()
              title setting, old: "Untitled", new: "Letter"
          > a new change: title = "Note"; the other level to redo is gone
              title setting, old: "Letter", new: "Note"
              can redo: false
          > group: title = "List", lines.append("Milk")
              title setting, old: "Note", new: "List"
              lines insertion, indexes: 0, new: ["Milk"]
          > undo(): both, as one transaction
              title setting, old: "List", new: "Note"
              lines removal, indexes: 0, old: ["Milk"]
        """#)
  }
}
