// What the rules leave open, or what Documentation/Parity.md lists as a known deviation, and the library
// does in one way. The reference does the same, and here is where it says so.
//
// - Death, order. Swift destroys an object's stored properties in the order of their declaration, and
//   the registrar last. (In a class with a single reference to its own class the compiler lets go of
//   that one last; `FuzzNode` has two.) (World.die)
// - Death, time. What a change carries lives until the change is complete: the value before where
//   somebody asked for `old`, the value after where somebody asked for `new`. (Change.pinned)
// - P5. A path is told of the death of a weakly held object at once, in the middle of a mutation too.
//   It is not told where that mutation changes the reference itself, or something on the way to it,
//   because then it is told anyway; nor where the owner of the reference is dying.
//   (Reference.objectDied)
// - P5, P7. A maintained aggregate takes a change into account when the change is complete. So the
//   value that is told of a death in the middle is not settled, and is not compared.
//   (Reference.value(of:), FuzzValue.unsettled)
// - P2. While a value is being exchanged, paths are attached to what they were attached to before. So
//   what a death in the middle sets off in the new value is not told; the change that is going on is
//   told when it is complete. (Reference.attachedReach)
// - P5. What is told of a death is a setting without a prior and without an old value.
// - Late hops. Whoever registers while a property changes is told nothing of that change (N2).
// - R5. A registration whose observer object died is removed when there is something to tell. Until
//   then it asks for values like any other. Programs in which one died are not asked whether objects
//   are idle at the end. (Reference.tell)
// - Transactions, death. What is told of a death in a transaction has no old value where the death came
//   first, and no prior then. (Reference.postpone)
// - Transactions, time. The old value of whoever asked for it lives until all have been told; of a
//   collection that is only inserted into, from the first other change on. While a part may be rolled
//   back, all objects are kept alive, since how long old values live then is nobody's promise.
//   (Reference.keepOld, perform)
// - Transactions, rolling back. A pair that began in a part that was rolled back is told at its did.
//   Where something else of that observance was told of since, that is one with it.
//   (Reference.complete)
// - Controllers. One that is let go of by a call that it makes ends when it returns from that.
//   (Reference.letGoOfController)
// - Sets of objects. They let go of their elements in no order, so what was in one is not dropped.
// - (d) in Architecture. The `count` of a text prints as `_`. (FuzzPath)
// - C8. Where several shortest differences exist, the standard library's is the right one.
//   (ElementStep)
