// Numbers in files come from outside: a sum or product that does not fit is an unreadable field, and
// neither a trap nor a wrong number.

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
