// The folder that cells are made from: the programs of a cell, the place where each mounts its root, and for each cell a
// folder for its work and one for its sockets.
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeTree, removeTreeSync } from './remove-tree.ts'
import { makeBase } from './stage.ts'
import { makeFolder, stageProgram } from './staged-program.ts'

export interface CellStage {
  program: string
  /** Empty: every cell mounts its own root over it, which nobody else sees. */
  root: string
  /** Files of /etc that tell nothing of this machine. */
  etc: string
  makeCellFolder(uid: number | null): CellFolder
  remove(): void
}

export interface CellFolder {
  /** Of all three. */
  whole: string
  work: string
  run: string
  /** For temporary files where a cell has no /tmp of its own. The name is short: sockets stand in it. */
  temporary: string
  remove(): Promise<void>
}

const programs = ['supervisor', 'relay', 'join-sockets', 'preload.cjs']

/** Each cell adds its own user. */
const etcFiles = {
  passwd: 'root:x:0:0::/tmp:/bin/sh\n',
  group: 'root:x:0:\n',
  hosts: '127.0.0.1 localhost\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  'resolv.conf': '',
}

export async function prepareCellStage(): Promise<CellStage> {
  const base = makeBase()
  try {
    for (const folder of ['program', 'root', 'etc']) makeFolder(join(base, folder), 0o755)
    makeFolder(join(base, 'cells'), 0o711)
    const program = join(base, 'program')
    const sources = fileURLToPath(new URL('./cell-programs', import.meta.url))
    await Promise.all(programs.map((name) => stageProgram(sources, name, program)))
    for (const [name, text] of Object.entries(etcFiles))
      writeFileSync(join(base, 'etc', name), text, { mode: 0o644 })
    return {
      program,
      root: join(base, 'root'),
      etc: join(base, 'etc'),
      makeCellFolder(owner) {
        const folder = mkdtempSync(join(base, 'cells', 'c'))
        // The cell's user must pass through; its name is a secret of the two.
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
