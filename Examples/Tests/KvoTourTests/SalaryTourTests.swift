import Testing

@Suite("The tour: all elements of a collection")
struct SalaryTourTests {
  @Test("A key can depend on all employees, by hand or by declaration")
  func totalSalary() throws {
    let text = try printed("totalSalary")
    #expect(
      text == #"""
        totalSalary: a key that depends on all employees, by hand and by declaration (page Dependent keys)
          by hand: the department observes each employee's salary
          > observe totalSalary with old and new
          > hire(ada), hire(grace)
              totalSalary setting, old: 0, new: 100
              totalSalary setting, old: 100, new: 180
          > ada.salary = 120
              totalSalary setting, old: 180, new: 200
          > dismiss(grace); grace.salary = 90
              totalSalary setting, old: 200, new: 120
          declared: @DependsOn("employees.@sum.salary")
          > observe totalSalary with old and new
          > employees.append(contentsOf: barbara and radia)
              totalSalary setting, old: 0, new: 180
          > barbara.salary = 120
              totalSalary setting, old: 180, new: 200
          > employees.removeLast(); radia.salary = 90
              totalSalary setting, old: 200, new: 120
        """#)
  }

  @Test("One registration observes a property of several objects of an array")
  func arrayRegistration() throws {
    let text = try printed("arrayRegistration")
    #expect(
      text == """
        arrayRegistration: one registration for a property of several objects in an array (page Observing)
          > observe salary of the objects at 0 and 2, with old and new
          > each of the three salaries += 1
              listener in the first context: salary setting, old: 100, new: 101
              listener in the first context: salary setting, old: 90, new: 91
          > stop at 0; each += 1
              listener in the first context: salary setting, old: 91, new: 92
          > stop at 0–2: not all are observed, so none is removed
              error: Employee has no such observer for 'salary' to remove: Listener is not registered for it, or not with this context.
              listener in the first context: salary setting, old: 92, new: 93
          > observe at 3, which is out of range
              error: Array<Employee>.salary has no such index: the indexes are 3, and there are 3 objects.
        """)
  }
}
