// The directory that cells are built from: programs, the mount point of their root, and per cell a work directory and one for
// its sockets.
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeTree, removeTreeSync } from './remove-tree.ts'
import { makeBaseFolder } from './stage.ts'
import { makeFolder, stagePrograms } from './stage-programs.ts'

export interface CellStage {
  program: string
  /** Empty: each cell mounts its own root over it, in its own mount namespace. */
  root: string
  /** Files for /etc that reveal nothing about this machine. */
  etc: string
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

/** Each cell adds its own user. */
const etcFiles = {
  passwd: 'root:x:0:0::/tmp:/bin/sh\n',
  group: 'root:x:0:\n',
  hosts: '127.0.0.1 localhost\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  'resolv.conf': '',
}

export async function prepareCellStage(): Promise<CellStage> {
  const base = makeBaseFolder()
  try {
    for (const folder of ['program', 'root', 'etc']) makeFolder(join(base, folder), 0o755)
    makeFolder(join(base, 'cells'), 0o711)
    const program = join(base, 'program')
    const sources = fileURLToPath(new URL('./cell-programs', import.meta.url))
    await stagePrograms(sources, program)
    for (const [name, text] of Object.entries(etcFiles))
      writeFileSync(join(base, 'etc', name), text, { mode: 0o644 })
    return {
      program,
      root: join(base, 'root'),
      etc: join(base, 'etc'),
      makeCellFolder(owner) {
        const folder = mkdtempSync(join(base, 'cells', 'c'))
        // The cell's user must be able to traverse it; its random name keeps others out.
        chmodSync(folder, 0o711)
        const work = join(folder, 'work')
        const run = join(folder, 'run')
        const temporary = join(folder, 't')
        makeFolder(run, 0o711)
        for (const own of [work, temporary]) {
          makeFolder(own, 0o700)
          if (owner !== null) chownSync(own, owner, owner)
        }
        return { whole: folder, work, run, temporary, remove: () => removeTree(folder) }
      },
      remove: () => removeTreeSync(base),
    }
  } catch (error) {
    rmSync(base, { recursive: true, force: true })
    throw error
  }
}
