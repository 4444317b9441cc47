// Behaviour that the rules leave open, or that Documentation/Parity.md lists as a known deviation, and that
// the library settles in one way. The reference does the same, at the place named after each entry.
//
// - Death, order. Swift destroys an object's stored properties in the order of their declaration, and
//   the registrar last. (In a class with a single reference to its own class, the compiler releases that
//   reference last; `FuzzNode` has two.) (World.die)
// - Death, time. The values of a change live until the change is complete: the old value if an observer
//   requested `old`, the new value if an observer requested `new`. (Change.pinned)
// - P5, N5. A path is notified of the death of a weakly held object at once. A death in a change of
//   something else on the path belongs to that change, which notifies the path when it's complete; but
//   one in a change of the path's last property, or in a pair, which may never be completed, is notified
//   at once. It isn't notified if the pair changes the reference itself, or something on the way to it,
//   because the pair notifies the path anyway; nor if the owner of the reference is dying.
//   (Change.covers, Reference.objectDied)
// - P5, P7. A maintained aggregate takes a change into account when the change is complete. So the value
//   delivered for a death in the middle of such a pair is unsettled, and isn't compared.
//   (Reference.value(of:), FuzzValue.unsettled)
// - P2. While a value is being exchanged, paths stay attached to the old value. So a death in the middle
//   doesn't notify paths through the new value; the open change notifies them when it's complete.
//   (Reference.attachedReach)
// - P5. A death is delivered as a setting without a prior and without an old value.
// - Late hops. An observer that registers while a property changes isn't notified of that change (N2).
// - R5. The registration of an observer object that died is removed when there is next something to
//   deliver. Until then it requests values like any other. Programs in which an observer object died
//   aren't checked for idle objects at the end. (Reference.tell)
// - Transactions, death. If a death is the first change in a transaction, its notification has no old
//   value and no prior. (Reference.postpone)
// - Transactions, time. A requested old value lives until all observers have been notified; the values are
//   then released in the order of their observances' first changes. That of a collection with insertions
//   only is kept from the first other change on. What a part keeps because it may be rolled back lives until
//   the part ends; it's released in the order in which it was kept, before observers are notified. What the
//   values that come back replace lives until then, too, and is released after these.
//   (Reference.keepOld, releasePins, inTransaction)
// - Transactions, rolling back. A pair that began in a part that was rolled back notifies at its `did`.
//   If the observance has had another change since, the pair is merged with it. (Reference.complete)
// - Recorders. A change that isn't recorded, and that brings back the value from before a recorded one, isn't
//   known from a change that was made in the callbacks of another one. If the next recorded change begins
//   there, both are undone. (Recorder.overlay)
// - Recorders, time. What a recorder keeps is released in the order in which it was recorded; what a
//   transaction discards, when observers have been notified. (Reference.forget, endGroups)
// - Recorders, levels without effect. A level all of whose objects have died is forgotten when undoing reaches
//   it. (Reference.takeBack)
// - Controllers. A controller that is released during one of its own registrations ends when that
//   registration returns. (Reference.letGoOfController)
// - Sets of objects. They release their elements in no order, so an object that was in one isn't dropped.
// - (d) in Architecture. The `count` of a text prints as `_`. (FuzzPath)
// - C8. If several shortest differences exist, the standard library's is the right one. (ElementStep)
