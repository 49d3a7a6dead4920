// Everything that is mounted into a cell, file by file: what only the agent's user may read, no run reads.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cellWays, closeCell, runNode, skipWithoutIsolation } from './cell.fixture.ts'

/** Tries to open each private file of another user in each mount but the cell's own. */
const program = `
  import fs from 'node:fs'
  import path from 'node:path'
  const own = /^\\/(proc|dev|work|tmp)(\\/|$)/
  const mounts = fs.readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\\n').map((line) => line.split(' ')[4]).filter((at) => at !== '/' && !own.test(at))
  const found = new Set(), read = []
  const visit = (at) => {
    const { uid, mode } = fs.lstatSync(at)
    const isFolder = (mode & 0o170000) === 0o040000
    const isFile = (mode & 0o170000) === 0o100000
    if ((isFolder || isFile) && uid !== process.getuid() && (mode & 0o004) === 0) {
      found.add(at)
      try { isFolder ? fs.readdirSync(at) : fs.closeSync(fs.openSync(at, 'r')); read.push(at) } catch {}
    } else if (isFolder) for (const name of fs.readdirSync(at)) visit(path.join(at, name))
  }
  // The directory of sockets can't be listed.
  for (const at of [...mounts, '/run/file-private', '/run/folder-private']) visit(at)
  console.log(JSON.stringify({ mounts, found: [...found].filter((at) => /private$/.test(at)), read }))`

it.runIf(process.getuid?.() === 0)(
  'a private file of the agent is unreadable through every mount',
  { timeout: 240_000 },
  async ({ skip }) => {
    const { stage, ways } = await cellWays()
    const strong = ways.find(({ level }) => level === 'strong')
    if (!strong) return skipWithoutIsolation(skip)
    const modules = mkdtempSync(join(tmpdir(), 'vedette-private-'))
    chmodSync(modules, 0o755)
    const mounts = [
      { from: modules, to: '/node_modules' },
      { from: stage.script, to: '/script' },
    ]
    const cell = await strong.open({ mounts })
    try {
      for (const folder of [modules, stage.script, stage.program, stage.etc, join(cell.folder, '../run')]) {
        writeFileSync(join(folder, 'file-private'), 'of the agent', { mode: 0o600 })
        mkdirSync(join(folder, 'folder-private'), { mode: 0o700 })
      }
      const { stdout, stderr } = await runNode(cell, program)
      expect(stderr).toBe('')
      const { mounts, found, read } = JSON.parse(stdout)
      expect(mounts).toEqual(expect.arrayContaining(['/usr', '/etc', '/node', '/program', '/node_modules']))
      const planted = ['/node_modules', '/script', '/program', '/etc', '/run'].flatMap((folder) => [
        `${folder}/file-private`,
        `${folder}/folder-private`,
      ])
      expect(found).toEqual(expect.arrayContaining(planted))
      expect(read).toEqual([])
    } finally {
      await closeCell(cell)
      stage.remove()
      rmSync(modules, { recursive: true })
    }
  },
)
