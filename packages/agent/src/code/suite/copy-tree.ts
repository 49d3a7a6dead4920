// Copies the files of untrusted programs while none of them runs. Links are copied, never followed; devices, sockets and special
// mode bits are left out. The agent owns the copy, so no cell can change it later.
import { constants, type Stats } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, opendir, readlink, rm, symlink } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { suiteLimits } from '../../sandbox/code-limits.ts'
import { SuiteError } from './suite-error.ts'

export interface CopiedTree {
  bytes: number
  entries: number
}

const treeLimits: CopiedTree = { bytes: suiteLimits.diskBytes, entries: 400_000 }

/** `takes`: selects paths, relative and with slashes; directories that aren't selected are still visited. */
export async function copyTree(
  from: string,
  to: string,
  options: {
    limits?: CopiedTree
    signal: AbortSignal
    takes?(path: string, stats: Stats): boolean
  },
): Promise<CopiedTree> {
  const { limits = treeLimits, signal, takes = () => true } = options
  const copied = { bytes: 0, entries: 0 }
  // Files of one directory are copied concurrently: the first of them creates it.
  const made = new Map<string, Promise<void>>([['.', Promise.resolve()]])
  const makeParents = (folder: string): Promise<void> => {
    const making =
      made.get(folder) ?? makeParents(posix.dirname(folder)).then(() => makeFolder(join(to, folder)))
    made.set(folder, making)
    return making
  }
  const count = (stats: Stats) => {
    copied.entries += 1
    copied.bytes += stats.isFile() ? stats.size : 0
    const excess =
      copied.entries > limits.entries
        ? `has more than ${limits.entries} files`
        : copied.bytes > limits.bytes && `is larger than ${Math.round(limits.bytes / 1e6)} MB`
    if (excess)
      throw new SuiteError(
        `The suite ${excess} with its packages. Remove files or packages that it doesn't need.`,
      )
  }
  const copyEntry = async (path: string, stats: Stats) => {
    await makeParents(posix.dirname(path))
    const [source, target] = [join(from, path), join(to, path)]
    await rm(target, { recursive: true, force: true })
    if (stats.isSymbolicLink()) return symlink(await readlink(source), target)
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    await chmod(target, (stats.mode & 0o111) === 0 ? 0o644 : 0o755)
  }
  const visit = async (folder: string): Promise<void> => {
    signal.throwIfAborted()
    const folders: string[] = []
    let batch: Promise<void>[] = []
    try {
      for await (const { name } of await opendir(join(from, folder))) {
        const path = posix.join(folder, name)
        if (path.length > maxPathChars)
          throw new SuiteError(
            `The suite has a path of more than ${maxPathChars} characters: ${path.slice(0, 50)}… Remove it.`,
          )
        const stats = await lstat(join(from, path))
        if (stats.isDirectory()) folders.push(path)
        if (!takes(path, stats)) continue
        count(stats)
        if (stats.isDirectory()) await makeParents(path)
        else if (stats.isFile() || stats.isSymbolicLink()) batch.push(copyEntry(path, stats))
        if (batch.length >= concurrentFiles) batch = await settleBatch(batch)
      }
    } finally {
      await settleBatch(batch)
    }
    for (const path of folders) await visit(path)
  }
  await visit('.')
  return copied
}

/** Far below what the kernel accepts: the directories of the agent come before it. */
const maxPathChars = 3_000

// Node has four threads for files by default; more only fills its queue.
const concurrentFiles = 16

async function settleBatch(batch: Promise<void>[]): Promise<[]> {
  const results = await Promise.allSettled(batch)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return []
}

async function makeFolder(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found?.isDirectory()) return
  if (found) await rm(path)
  await mkdir(path)
  await chmod(path, 0o755)
}
