// The directory that cells are built from: programs, the system-call filter, files for /etc, and per cell a work directory and one
// for its sockets.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeTree, removeTreeSync } from './remove-tree.ts'
import { openRunGroups, type RunGroups } from './run-groups.ts'
import { makeBaseFolder } from './stage.ts'
import { makeFolder, stagePrograms } from './stage-programs.ts'
import { syscallFilter } from './syscall-filter.ts'

export interface CellStage {
  program: string
  /** The program of setup and teardown scripts. */
  script: string
  /** The system-call filter; null: not supported on this architecture. */
  filter: string | null
  /** The kernel's limits of each run. */
  groups: RunGroups
  /** Files for /etc that reveal nothing about this machine. */
  etc: string
  /** Cells mount here in their own mount namespaces, so all of them use the same mount points. */
  mountPoints: string
  /** The name of an empty directory or file, as the source is. */
  mountPoint(source: string, index: number): string
  makeCellFolder(uid: number | null): CellFolder
  remove(): void
}

export interface CellFolder {
  /** Contains the other three. */
  whole: string
  work: string
  run: string
  /** For temporary files of a cell without its own /tmp. The name is short, since sockets are in it. */
  temporary: string
  remove(): Promise<void>
}

/** Mounted over the files for /etc. */
export const sharedEtc = ['/etc/ssl', '/etc/fonts', '/etc/alternatives', '/etc/ld.so.cache'].filter((path) =>
  existsSync(path),
)

/** Every cell maps its user to 1000. */
const etcFiles = {
  passwd: 'root:x:0:0::/tmp:/bin/sh\nrunner:x:1000:1000::/tmp:/bin/sh\n',
  group: 'root:x:0:\nrunner:x:1000:\n',
  hosts: '127.0.0.1 localhost\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  'resolv.conf': '',
}

export async function prepareCellStage(): Promise<CellStage> {
  const base = makeBaseFolder()
  const at = (name: string) => join(base, name)
  try {
    for (const folder of ['program', 'script', 'etc', 'mounts']) makeFolder(at(folder), 0o755)
    makeFolder(at('cells'), 0o711)
    await stagePrograms(fileURLToPath(new URL('./cell-programs', import.meta.url)), at('program'))
    await stagePrograms(fileURLToPath(new URL('./child', import.meta.url)), at('script'))
    for (const [name, text] of Object.entries(etcFiles))
      writeFileSync(at(`etc/${name}`), text, { mode: 0o644 })
    for (const path of sharedEtc) makeMountPoint(path, at(path))
    const filter = syscallFilter()
    if (filter) writeFileSync(at('filter'), filter)
    return {
      program: at('program'),
      script: at('script'),
      filter: filter && at('filter'),
      groups: await openRunGroups(),
      etc: at('etc'),
      mountPoints: at('mounts'),
      mountPoint(source, index) {
        const name = `${statSync(source).isDirectory() ? 'folder' : 'file'}-${index}`
        if (!existsSync(at(`mounts/${name}`))) makeMountPoint(source, at(`mounts/${name}`))
        return name
      },
      makeCellFolder(owner) {
        const whole = mkdtempSync(at('cells/c'))
        // The cell's user must be able to traverse it; its random name keeps others out.
        chmodSync(whole, 0o711)
        const [run, work, temporary] = [join(whole, 'run'), join(whole, 'work'), join(whole, 't')]
        makeFolder(run, 0o711)
        for (const own of [work, temporary]) {
          makeFolder(own, 0o700)
          if (owner !== null) chownSync(own, owner, owner)
        }
        return { whole, work, run, temporary, remove: () => removeTree(whole) }
      },
      remove: () => removeTreeSync(base),
    }
  } catch (error) {
    rmSync(base, { recursive: true, force: true })
    throw error
  }
}

function makeMountPoint(source: string, at: string): void {
  mkdirSync(dirname(at), { recursive: true })
  if (statSync(source).isDirectory()) makeFolder(at, 0o755)
  else writeFileSync(at, '', { mode: 0o644 })
}
