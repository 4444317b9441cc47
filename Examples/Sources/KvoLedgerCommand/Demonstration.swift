/// The session that `--demo` plays: commands, and lines that explain them.
package enum Demonstration {
  package static let lines = [
    "# Commands change the model. Its observers print everything else.",
    "category food",
    "category food budget 20",
    "add 12.50 food \"oat milk\"",
    "add 900 rent",
    "# Totals and budgets depend on the amounts, through the category and the account.",
    "edit 1 amount 24",
    "# A field is bound to the amount: what it can't take is refused, and changes nothing.",
    "edit 1 amount much",
    "# A command is one step back, whatever it changed.",
    "undo",
    "totals",
  ]
}
