import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runAsPlainAgent } from './cell.fixture.ts'
import { folderBytes, hiddenBytes, residentBytes, socketBytes } from './cell-usage.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'usage-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

describe('the size of a directory', () => {
  it('is counted in blocks, without targets of links', async () => {
    mkdirSync(join(folder, 'inner'))
    writeFileSync(join(folder, 'inner/file'), Buffer.alloc(1_000_000))
    symlinkSync('/usr', join(folder, 'link'))
    const bytes = await folderBytes(folder, 'bytes')
    expect(bytes).toBeGreaterThanOrEqual(1_000_000)
    expect(bytes).toBeLessThan(1_100_000)
  })

  it('is too large with too many files, even empty ones', async () => {
    for (let i = 0; i < 20; i++) writeFileSync(join(folder, `${i}`), '')
    expect(await folderBytes(folder, 'files', 21)).toBe(0)
    expect(await folderBytes(folder, 'files', 20)).toBe(Number.POSITIVE_INFINITY)
  })

  it('is measured while thousands of directories with long paths come and go', async () => {
    writeFileSync(join(folder, 'file'), Buffer.alloc(1_000_000, 1))
    const code = `chdir $ARGV[0]; for (1..14) { my $d = "d" x 250; mkdir $d; chdir $d } $| = 1; print "x";
      while (1) { for my $f (sub { mkdir $_[0] }, sub { rmdir $_[0] }) { $f->("e" x 200 . $_) for 1..2000 } }`
    const busy = spawn('perl', ['-e', code, folder])
    try {
      await once(busy.stdout, 'data')
      for (let i = 0; i < 5; i++) expect(await folderBytes(folder, 'bytes')).toBeGreaterThan(1_000_000)
    } finally {
      busy.kill('SIGKILL')
      await once(busy, 'close')
    }
  })

  it.runIf(process.getuid?.() === 0)('is too large if it is unreadable', async () => {
    const code = `
      import fs from 'node:fs'
      import { folderBytes } from '${new URL('./cell-usage.ts', import.meta.url)}'
      const folder = fs.mkdtempSync('/tmp/usage-')
      fs.mkdirSync(folder + '/closed', { mode: 0 })
      console.log(await folderBytes(folder, 'bytes') === Infinity)
      fs.rmdirSync(folder + '/closed')
      fs.rmdirSync(folder)`
    expect(await runAsPlainAgent(code)).toBe('true\n')
  })
})

describe('without a process list', () => {
  it('nothing is used', async () => {
    expect(residentBytes(join(folder, 'none'))).toBe(0)
    expect(await hiddenBytes(join(folder, 'none'), folder)).toBe(0)
    expect(socketBytes(join(folder, 'none'))).toBe(0)
  })
})
