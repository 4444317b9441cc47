#if DEBUG || KVO_AUDIT
  extension LogCore {
    /// Reports the graph's classes that restoring a snapshot won't find, once for each class (Parity G4).
    ///
    /// A program that reads snapshots may name classes that one which writes them doesn't. So this is reported
    /// only of classes that nothing but their being named makes known, and only where a snapshot is made.
    func reportUnfindable() {
      guard classes.makesObjects, let root = graph.root?.type.schema else { return }
      let unchecked = graph.entries.values.map(\.type).filter {
        checkedClasses.insert(ObjectIdentifier($0)).inserted
      }
      if unchecked.isEmpty { return }
      let restoring = classes.restoring(root.type)
      for logged in unchecked {
        let type = logged.schema.type
        if let found = try? restoring.type(logged.name), found == type { continue }
        ReportOnce.tolerated("class not findable", of: type, "") {
          "A snapshot of \(root.name) has objects of \(logged.schema.name), which another run of the program can't "
            + "restore: no stored key's type mentions the class, and its name doesn't identify it. Only a subclass "
            + "of a class that one mentions is found, if it isn't private, local or generic. Name it in `classes`, "
            + "here and where the snapshot is restored: KeyValueLogClass(\(logged.schema.name).self)."
        }
      }
    }
  }
#endif
