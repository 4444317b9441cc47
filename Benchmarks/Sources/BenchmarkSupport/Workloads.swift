extension Workload {
  /// Every workload, in the order of running.
  public static let all: [Workload] =
    Placement.allCases.map(setUnobserved)
    + Placement.allCases.map(readUnobserved)
    + Placement.allCases.map(oneObserver)
    + Placement.allCases.map(intWithValues)
    + Placement.allCases.map(textWithValues)
    + [10, 100].map(observers)
    + [false, true].map(addAndRemove)
    + [100, 1_000].map(addAndRemoveMany)
    + [addAndRemovePath, addAndRemoveSum]
    + [setLeaf, replaceMiddle, replaceFirst, dependentKey]
    + [1_000, 100_000].map(append)
    + [1_000, 10_000, 100_000].map(totalSalary)
    + MemoryStage.allCases.map(memory)
    + [chain, bindings(twoWay: false), bindings(twoWay: true)]
    + [valueForKey, setValueForKey, valueForKeyPath, sumOperator]
    + [false, true].map(sumElement)
    + [1, 8].map(ownObjects)
    + [1, 8].map(sharedObject)
    + [false, true].map(addInPlace)
    + [appendInPlace]
    + [transaction, elementChanges, sequence, traced]
    + looksThrough + logs
}
