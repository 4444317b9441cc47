import FoundationKVO

let queue = JobQueue()
queue.maxConcurrentOperationCount = 1
let log = Log()
log.follow(queue)

func job(_ name: String, _ conditions: [() -> Bool] = []) -> Job {
  let job = Job(named: name, conditions: conditions)
  job.add(log)
  return job
}

let fetch = job("fetch")
let parse = job("parse", [{ fetch.isFinished }])
parse.addDependency(fetch)
let upload = job("upload", [{ false }])
let late = job("late")
late.cancel()

for each in [parse, fetch] { queue.addOperation(each) }
queue.waitUntilAllOperationsAreFinished()
queue.addOperation(upload)
queue.waitUntilAllOperationsAreFinished()
queue.addOperation(late)
queue.waitUntilAllOperationsAreFinished()
log.leave(queue)

let names = [fetch, parse, upload, late] as NSArray
let sorted = names.sortedArray(using: [NSSortDescriptor(key: "name", ascending: true)])
print(sorted.compactMap { ($0 as? Job)?.name })
print(names.filtered(using: NSPredicate(format: "isCancelled == NO AND name.length > %d", 5)).count)
