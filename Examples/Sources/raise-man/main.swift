import FoundationKVO

let document = Document()
let window = Window(document: document)

print("Two employees are hired.")
document.command("Insert") {
  document.insertObject(Employee(name: "Ada", raise: 0.05), inEmployeesAtIndex: 0)
}
document.command("Insert") {
  document.mutableArrayValue(forKey: "employees")
    .add(Employee(name: "Charles", raise: 0.02))
}

print("The file is saved, then a raise is typed into a cell.")
document.save()
window.commit(0.1234, "raise", inRow: 1)
window.commit(7.5, "raise", inRow: 1)

print("A name changes, and a raise is cleared.")
window.commit("Ada King", "name", inRow: 0)
window.commit(nil, "raise", inRow: 0)

window.undo()
window.undo()
window.redo()

print("Charles leaves.")
document.command("Delete") {
  document.removeObjectFromEmployeesAtIndex(1)
}
for _ in 0..<3 { window.undo() }

print("The table is sorted by name, backwards.")
let sorted = document.employees.sorted { ($0.name ?? "") > ($1.name ?? "") }
document.setValue(sorted, forKey: "employees")
print(document.employees)
print(document.dictionaryWithValues(forKeys: ["isEdited"]))
