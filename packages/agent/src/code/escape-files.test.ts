// Files that a run leaves for the agent to fetch, and that lead somewhere else.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectFiles } from '../artifacts/collect-files.ts'
import { cellSettings, runNode } from '../sandbox/cell.fixture.ts'
import type { Cell } from '../sandbox/cell.ts'
import { cellOpener, closeCells } from '../sandbox/open-cell.ts'
import { findOutputFile } from './agentic/browser-host.ts'
import { readRunFiles } from './script/run-files.ts'

const openCell = cellOpener('auto')

let agentData: string
let cell: Cell

beforeAll(async () => {
  agentData = mkdtempSync(join(tmpdir(), 'agent-data-'))
  chmodSync(agentData, 0o755)
  writeFileSync(join(agentData, 'tests.json'), '{"tests":[],"errors":[]}')
  mkdirSync(join(agentData, 'screenshots'))
  writeFileSync(join(agentData, 'screenshots/last-page.png'), 'of another run')
  cell = await openCell(cellSettings, new AbortController().signal)
  const program = `
    import fs from 'node:fs'
    import net from 'node:net'
    import { execFileSync } from 'node:child_process'
    fs.writeFileSync('plain.txt', 'plain')
    fs.symlinkSync('/etc/passwd', 'screenshot.png')
    fs.symlinkSync('${agentData}/tests.json', 'report.json')
    fs.symlinkSync('${agentData}', 'folder')
    fs.symlinkSync('${agentData}', '.vedette')
    fs.symlinkSync('${agentData}', 'agentic')
    fs.symlinkSync('/proc/self/environ', 'environment.txt')
    fs.symlinkSync('plain.txt', 'inner.txt')
    fs.writeFileSync('first.txt', 'twice')
    fs.linkSync('first.txt', 'second.txt')
    execFileSync('mkfifo', ['pipe.json', 'degraded.json'])
    await new Promise((done) => net.createServer().listen('socket.png', done))
    fs.mkdirSync('deep/er', { recursive: true })
    fs.writeFileSync('deep/er/trace.zip', 'PK')
    fs.symlinkSync('../..', 'deep/er/loop')
    fs.writeFileSync('..\\n\\u202e..', 'odd name')
    process.exit()`
  const { stderr } = await runNode(cell, program)
  if (stderr !== '') throw new Error(stderr)
  await cell.end()
})

afterAll(async () => {
  await cell.remove()
  await closeCells()
  rmSync(agentData, { recursive: true })
})

describe('of the output of a run', () => {
  it('only regular files are collected', async () => {
    const { files, left } = await collectFiles(cell.folder)
    const isOdd = (name: string) => name.includes('..')
    expect(
      files
        .map(({ name }) => name)
        .filter((name) => !isOdd(name))
        .sort(),
    ).toEqual(['deep/er/trace.zip', 'plain.txt', 'program.mjs'])
    expect(files.every(({ path }) => path.startsWith(`${cell.folder}/`))).toBe(true)
    const leftOut = [
      'screenshot.png',
      'report.json',
      'folder',
      'environment.txt',
      'second.txt',
      'pipe.json',
      'socket.png',
    ]
    for (const name of leftOut)
      expect(
        left.filter((line) => line.startsWith(`${name} is not kept`)),
        name,
      ).toHaveLength(1)
  })

  it('files for the agent are read without following links, and a pipe is ignored', async () => {
    const absent = { tests: null, error: null, degraded: null, events: [], secrets: [] }
    expect(await readRunFiles(cell.folder)).toEqual(absent)
  })

  it('files of a prompt are not found through a link in place of their directory', async () => {
    expect(await findOutputFile(cell, 'screenshots/last-page.png')).toBeNull()
  })
})
