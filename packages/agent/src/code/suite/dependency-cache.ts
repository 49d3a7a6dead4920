// Installed packages of suites, per account, so that a poisoned entry harms only the account that created it. Entries are created
// atomically by a rename, and runs only copy from them.
import { randomUUID } from 'node:crypto'
import { glob, mkdir, mkdtemp, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { removeTree } from '../../sandbox/remove-tree.ts'

export type DependencyCache = Awaited<ReturnType<typeof openDependencyCache>>

/** wire: least recently used, 30 days. */
const maxAgeMs = 30 * 24 * 3_600_000

const Entry = z.object({ bytes: z.number().min(0) })

export async function openDependencyCache(options: { folder: string; maxBytes: number; now(): number }) {
  const { folder, maxBytes, now } = options
  const stagingFolder = join(folder, '.staging')
  // What a killed agent left: the directory belongs to one agent.
  await removeTree(stagingFolder)
  await mkdir(stagingFolder, { recursive: true, mode: 0o700 })
  /** A path for each use. */
  const inUse: string[] = []
  const markUsed = (path: string) => utimes(join(path, 'entry.json'), now() / 1000, now() / 1000)

  const removeEntry = async (path: string) => {
    const aside = join(stagingFolder, randomUUID())
    await rename(path, aside).catch(() => undefined)
    await removeTree(aside)
  }

  /** Removes entries that are too old, and the least recently used while the cache is too large. */
  const sweep = async () => {
    const entries = (await listEntries(folder)).sort((a, b) => b.usedAt - a.usedAt)
    let bytes = 0
    for (const entry of entries) {
      bytes += entry.bytes
      const isOver = bytes > maxBytes || now() - entry.usedAt > maxAgeMs
      if (!isOver || inUse.includes(entry.path)) continue
      bytes -= entry.bytes
      await removeEntry(entry.path)
    }
  }

  return {
    /** The entry isn't removed while `use` runs. Null: there is no entry. */
    async use<T>(accountId: string, key: string, use: (tree: string) => Promise<T>): Promise<T | null> {
      const path = entryPath(folder, accountId, key)
      if (!(await readEntry(path))) return null
      inUse.push(path)
      try {
        await markUsed(path).catch(() => undefined)
        return await use(join(path, 'tree'))
      } finally {
        inUse.splice(inUse.indexOf(path), 1)
      }
    },
    /** An empty directory for a new tree; `store` moves it, `discard` removes it. */
    async stage() {
      const staged = await mkdtemp(join(stagingFolder, 's'))
      await mkdir(join(staged, 'tree'))
      return join(staged, 'tree')
    },
    /** False: it couldn't be stored, for example on a full disk. The run continues. */
    async store(accountId: string, key: string, staged: string, bytes: number): Promise<boolean> {
      const path = entryPath(folder, accountId, key)
      if (bytes > maxBytes || inUse.includes(path)) return false
      const entry = join(staged, '..')
      try {
        await writeFile(join(entry, 'entry.json'), JSON.stringify({ bytes }))
        await markUsed(entry)
        await mkdir(join(folder, accountId), { recursive: true, mode: 0o700 })
        await removeEntry(path)
        // A concurrent run of this suite may have stored its entry first.
        await rename(entry, path).catch(() => undefined)
        await sweep()
        return true
      } catch {
        return false
      }
    },
    // If it fails, the next start of the agent removes it.
    discard: (staged: string) => removeTree(join(staged, '..')).catch(() => undefined),
    sweep,
  }
}

function entryPath(folder: string, accountId: string, key: string): string {
  if (!/^[0-9a-f-]{36}$/.test(accountId) || !/^[0-9a-f]{64}$/.test(key)) throw new Error('not a cache key')
  return join(folder, accountId, key)
}

async function readEntry(path: string): Promise<{ bytes: number; usedAt: number } | null> {
  try {
    const file = join(path, 'entry.json')
    const { bytes } = Entry.parse(JSON.parse(await readFile(file, 'utf8')))
    return { bytes, usedAt: (await stat(file)).mtimeMs }
  } catch {
    return null
  }
}

async function listEntries(folder: string) {
  const found: { path: string; bytes: number; usedAt: number }[] = []
  // Without directories that begin with a dot.
  for await (const name of glob('*/*', { cwd: folder })) {
    const path = join(folder, name)
    found.push({ path, ...((await readEntry(path)) ?? { bytes: 0, usedAt: 0 }) })
  }
  return found
}
