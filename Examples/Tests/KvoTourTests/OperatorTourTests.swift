import Testing

@Suite("The tour: collection operators")
struct OperatorTourTests {
  @Test("Collection operators compute values of a table of transactions")
  func operators() throws {
    let text = try printed("operators")
    #expect(
      text == #"""
        operators: collection operators over a table of transactions (page To-many relationships)
          of the transactions
          > value(forKeyPath: "transactions.@count")
              13
          > value(forKeyPath: "transactions.@sum.amount")
              5935.0
          > value(forKeyPath: "transactions.@avg.amount")
              456.54
          > value(forKeyPath: "transactions.@min.date")
              2015-12-01
          > value(forKeyPath: "transactions.@max.date")
              2016-07-15
          all values, and the distinct values
          > value(forKeyPath: "moreTransactions.payee")
              General Cable - Cottage, General Cable - Cottage, Second Mortgage, Car Loan, Hobby Shop
          > value(forKeyPath: "moreTransactions.@unionOfObjects.payee")
              General Cable - Cottage, General Cable - Cottage, Second Mortgage, Car Loan, Hobby Shop
          > value(forKeyPath: "transactions.@distinctUnionOfObjects.payee")
              Green Power, Car Loan, General Cable, Mortgage, Animal Hospital
          of an array of arrays
          > value(forKeyPath: "arrayOfArrays.@distinctUnionOfArrays.payee")
              Green Power, Car Loan, General Cable, Mortgage, Animal Hospital, General Cable - Cottage, Second Mortgage, Hobby Shop
          > value(forKeyPath: "arrayOfArrays.@sum.@count")
              18
          > value(forKeyPath: "arrayOfArrays.@max.@sum.amount")
              5935.0
          a misspelled operator
          > value(forKeyPath: "transactions.@average.amount")
              error: There is no collection operator '@average' (component 2 of 'transactions.@average.amount').
        """#)
  }

  @Test("Collection operators' results are observed like any other value")
  func aggregates() throws {
    let text = try printed("aggregates")
    #expect(
      text == #"""
        aggregates: the results of operators are observed like any other value (page To-many relationships)
          > observe their number, sum, mean, highest amount and payees with old and new
          > moreTransactions[0].amount = 220
              sum setting, old: 2375.0, new: 2475.0
              mean setting, old: 475.0, new: 495.0
              highest setting, old: 1250.0, new: 1250.0
          > moreTransactions[4].payee = "Toy Shop"
              payees setting, new: ["General Cable - Cottage", "General Cable - Cottage", "Second Mortgage", "Car Loan", "Toy Shop"]
          > remove(at: 2), the second mortgage
              count setting, old: 5, new: 4
              sum setting, old: 2475.0, new: 1225.0
              mean setting, old: 495.0, new: 306.25
              highest setting, old: 1250.0, new: 600.0
              payees setting, new: ["General Cable - Cottage", "General Cable - Cottage", "Car Loan", "Toy Shop"]
          > set its amount, which is no longer observed
          > append it again
              count setting, old: 4, new: 5
              sum setting, old: 1225.0, new: 6225.0
              mean setting, old: 306.25, new: 1245.0
              highest setting, old: 600.0, new: 5000.0
              payees setting, new: ["General Cable - Cottage", "General Cable - Cottage", "Car Loan", "Toy Shop", "Second Mortgage"]
          > by string: observe moreTransactions.@min.date
          > moreTransactions[0].date = "2016-02-18"
              earliest setting, old: "2015-12-18", new: "2016-01-09"
        """#)
  }
}
