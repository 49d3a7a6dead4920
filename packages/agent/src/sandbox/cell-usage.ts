// What a cell uses, measured from outside with nothing that the code inside could hide behind: all processes of its
// namespace whoever started them, files whether or not a folder shows them.
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Where the processes of a cell are listed: /proc as it is mounted inside. */
export type ProcessList = string

const run = promisify(execFile)

/** Without what is only the page cache's: programs and libraries that many processes share. */
export async function residentBytes(list: ProcessList): Promise<number> {
  const sizes = await Promise.all((await pidsOf(list)).map((pid) => residentBytesOf(join(list, pid))))
  return sum(sizes)
}

async function residentBytesOf(process: string): Promise<number> {
  const status = await readFile(join(process, 'status'), 'utf8').catch(() => '')
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024
}

/** What the whole machine uses: as long as that grows little, little is hidden. */
export async function machineUse(folder: string): Promise<{ disk: number; memory: number }> {
  const [{ blocks, bfree, bsize }, memory] = await Promise.all([
    statfs(folder),
    readFile('/proc/meminfo', 'utf8'),
  ])
  return {
    disk: (blocks - bfree) * bsize,
    memory: Number(/^Shmem:\s+(\d+) kB/m.exec(memory)?.[1] ?? 0) * 1024,
  }
}

/** Of files that no folder shows: deleted ones of the folder's disk that someone has open, and those that only memory holds. */
export async function hiddenBytes(
  list: ProcessList,
  folder: string,
): Promise<{ disk: number; memory: number }> {
  const { dev } = await stat(folder)
  const found = await Promise.all((await pidsOf(list)).map((pid) => deletedFilesOf(join(list, pid, 'fd'))))
  const files = [...new Map(found.flat().map((file) => [`${file.dev}:${file.ino}`, file])).values()]
  const onDisk = files.filter((file) => file.dev === dev)
  const inMemory = files.filter(({ isMemory }) => isMemory)
  return { disk: sum(onDisk.map(({ bytes }) => bytes)), memory: sum(inMemory.map(({ bytes }) => bytes)) }
}

async function deletedFilesOf(folder: string) {
  const names = await readdir(folder).catch(() => [])
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const target = await readlink(path).catch(() => '')
      const found = target.endsWith(' (deleted)') ? await stat(path).catch(() => null) : null
      if (!found?.isFile()) return null
      const { dev, ino, blocks } = found
      return { dev, ino, bytes: blocks * 512, isMemory: target.startsWith('/memfd:') }
    }),
  )
  return files.filter((file) => file !== null)
}

/** choice: a suite's packages are some 100,000 files; a disk has few millions of places for files, be they empty. */
const mostFiles = 1_000_000

/** What can not be looked into counts as too much. */
export async function folderBytes(
  folder: string,
  count: 'bytes' | 'files',
  maxFiles = mostFiles,
): Promise<number> {
  const args = count === 'bytes' ? ['-skx', folder] : ['-sx', '--inodes', folder]
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }
  // It complains of whatever went away while it looked, and tells the sum all the same.
  const { stdout, stderr } = await run('du', args, { env }).catch(
    (error: { stdout?: string; stderr?: string }) => error,
  )
  if (/cannot (?:read|access).*Permission denied/.test(stderr ?? '')) return Number.POSITIVE_INFINITY
  const found = Number.parseInt(stdout ?? '', 10) || 0
  if (count === 'bytes') return found * 1024
  return found > maxFiles ? Number.POSITIVE_INFINITY : 0
}

async function pidsOf(list: ProcessList): Promise<string[]> {
  const names = await readdir(list).catch(() => [])
  return names.filter((name) => /^\d+$/.test(name))
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
