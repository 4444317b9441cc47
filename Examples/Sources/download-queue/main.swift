import FoundationKVO

let server = Server(files: ["a.txt": 300, "b.txt": 250, "c.txt": 400], chunkSize: 100)
let manager = DownloadManager(totalUnitCount: 1_150)

for (file, size) in [("a.txt", 300), ("b.txt", 250), ("c.txt", 400), ("d.txt", 200)] {
  manager.add(DownloadOperation(file: file, size: Int64(size), server: server))
}
manager.downloads[3].queuePriority = .high

// The user cancels c.txt when half of it has been downloaded.
manager.didReceive = { download in
  if download.file == "c.txt", download.progress.fractionCompleted >= 0.5 { download.cancel() }
}

let archive = ArchiveOperation()
manager.run(thenArchiveIn: archive)

print("The archive:")
for line in archive.contents { print("  \(line)") }
print(manager.progress.localizedAdditionalDescription ?? "")
