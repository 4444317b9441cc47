import Testing

@Suite("The tour: dependent keys")
struct DependentKeyTourTests {
  @Test("A dependent key can be declared in four ways")
  func fullName() throws {
    let text = try printed("fullName")
    #expect(
      text == #"""
        fullName: a dependent key, declared in four ways (page Dependent keys)
          by inference: the getter names firstName and lastName
          > InferredPerson.keyPathsForValuesAffectingValue(forKey: "fullName")
              firstName, lastName
          > firstName = "Grace", lastName = "Hopper"
              fullName setting, old: "Ada Lovelace", new: "Grace Lovelace"
              fullName setting, old: "Grace Lovelace", new: "Grace Hopper"
          by attribute: @DependsOn("firstName", "lastName")
          > AttributePerson.keyPathsForValuesAffectingValue(forKey: "fullName")
              firstName, lastName
          > firstName = "Grace", lastName = "Hopper"
              fullName setting, old: "Ada Lovelace", new: "Grace Lovelace"
              fullName setting, old: "Grace Lovelace", new: "Grace Hopper"
          by keyPathsForValuesAffectingValue(forKey:)
          > GeneralMethodPerson.keyPathsForValuesAffectingValue(forKey: "fullName")
              firstName, lastName
          > firstName = "Grace", lastName = "Hopper"
              fullName setting, old: "Ada Lovelace", new: "Grace Lovelace"
              fullName setting, old: "Grace Lovelace", new: "Grace Hopper"
          by keyPathsForValuesAffectingFullName()
          > NamedMethodPerson.keyPathsForValuesAffectingValue(forKey: "fullName")
              firstName, lastName
          > firstName = "Grace", lastName = "Hopper"
              fullName setting, old: "Ada Lovelace", new: "Grace Lovelace"
              fullName setting, old: "Grace Lovelace", new: "Grace Hopper"
        """#)
  }

  @Test("Progress depends on the bytes written and on the total")
  func download() throws {
    let text = try printed("download")
    #expect(
      text == """
        download: progress, from the bytes written and the total (page Dependent keys)
          > observe progress with initial, old and new
              progress setting, new: 0.0
          > bytesWritten += 250, twice
              progress setting, old: 0.0, new: 0.25
              progress setting, old: 0.25, new: 0.5
          > bytesTotal = 2000: the total grows
              progress setting, old: 0.5, new: 0.25
        """)
  }

  @Test("A property that depends on its object's properties notifies when they change")
  func dog() throws {
    let text = try printed("dog")
    #expect(
      text == #"""
        dog: a property that notifies when its object's properties change (page Dependent keys)
          > observe dog, which depends on dog.name and dog.height
          > owner.dog.name = "Wolf"
              dog setting; it is Wolf, 50 cm
          > owner.dog.height = 60
              dog setting; it is Wolf, 60 cm
          > owner.dog = a new dog
              dog setting; it is Bello, 30 cm
          > the old dog's name changes: it is no longer observed
          > owner.dog.height = 31
              dog setting; it is Bello, 31 cm
        """#)
  }
}
