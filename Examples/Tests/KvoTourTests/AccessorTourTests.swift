import Testing

@Suite("The tour: accessors and set algebra")
struct AccessorTourTests {
  @Test("A proxy calls the class's accessors; without replaceObject it removes and inserts")
  func accessors() throws {
    let text = try printed("accessors")
    #expect(
      text == #"""
        accessors: a proxy uses the class's accessors, with and without replaceObject (page To-many relationships)
          in parentheses: the methods that are called
          with insertObject, removeObject and replaceObject
          > books, which are ["Notes", "Sketch"], append("Atlas")
              (insertObject Atlas at 2)
              books insertion, indexes: 2, new: ["Atlas"]
          > books.remove(at: 0)
              (removeObject at 0)
              books removal, indexes: 0, old: ["Notes"]
          > books[1] = "Diary"
              (replaceObject at 1 with Diary)
              books replacement, indexes: 1, old: ["Atlas"], new: ["Diary"]
          without replaceObject
          > books, which are ["Notes", "Sketch"], append("Atlas")
              (insertObject Atlas at 2)
              books insertion, indexes: 2, new: ["Atlas"]
          > books.remove(at: 0)
              (removeObject at 0)
              books removal, indexes: 0, old: ["Notes"]
          > books[1] = "Diary"
              (removeObject at 1)
              books removal, indexes: 1, old: ["Atlas"]
              (insertObject Diary at 1)
              books insertion, indexes: 1, new: ["Diary"]
        """#)
  }

  @Test("Changes of a set contain only the elements that enter or leave it")
  func setAlgebra() throws {
    let text = try printed("setAlgebra")
    #expect(
      text == #"""
        setAlgebra: an unordered to-many property: only the elements that enter or leave (page To-many relationships)
          > observe tags, which are ["new"], with old and new
          > insert("urgent")
              tags insertion, new: ["urgent"]
          > formUnion(["new", "red", "big"]): new is there already
              tags insertion, new: ["big", "red"]
          > subtract(["red", "blue"]): blue is not there
              tags removal, old: ["red"]
          > formIntersection(["new", "urgent"])
              tags removal, old: ["big"]
          > replaceAll(with: ["urgent", "done"])
              tags replacement, old: ["new"], new: ["done"]
          > remove("blue") changes nothing, and reports an empty removal
              tags removal, old: []
          > label.tags = ["old"] sets the whole set
              tags setting, old: ["done", "urgent"], new: ["old"]
          by hand: marks, which notify manually
          > observe marks with old and new
          > mark(["bold"]), then mark(["bold", "wide"])
              marks insertion, new: ["bold"]
              marks insertion, new: ["wide"]
        """#)
  }
}
