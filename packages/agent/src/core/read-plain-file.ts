// Reads files that untrusted programs may have written, while none of them runs.
import { constants, type FileHandle, open } from 'node:fs/promises'

/** Null: it is absent, a link, a device or too large. A pipe doesn't block. */
export async function readPlainFile(path: string, maxBytes: number): Promise<string | null> {
  let file: FileHandle | null = null
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = await file.stat()
    return stats.isFile() && stats.size <= maxBytes ? await file.readFile('utf8') : null
  } catch {
    return null
  } finally {
    await file?.close()
  }
}
