// Numbers in files come from outside: a sum or product that doesn't fit is an unreadable field, not
// a trap or a wrong number.

func sum(_ first: Int?, _ second: Int?) -> Int? {
  guard let first, let second else { return nil }
  let (result, overflow) = first.addingReportingOverflow(second)
  return overflow ? nil : result
}

func product(_ first: Int?, _ second: Int?) -> Int? {
  guard let first, let second else { return nil }
  let (result, overflow) = first.multipliedReportingOverflow(by: second)
  return overflow ? nil : result
}
