import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Log } from '../../core/log.ts'
import { findBinaries } from './binaries.ts'
import { DATABASE_UID, isRoot } from './identity.ts'

const quiet = () => {}
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }
const identity = isRoot()
  ? { uid: DATABASE_UID, gid: DATABASE_UID }
  : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'vedette-binaries-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

describe('findBinaries', () => {
  it('finds the binaries of the installed package and their PostgreSQL version', () => {
    const { postgres, initdb, major } = findBinaries(identity, log)
    expect(spawnSync(postgres, ['--version'], { encoding: 'utf8' }).stdout).toContain(`PostgreSQL) ${major}.`)
    expect(existsSync(initdb)).toBe(true)
  })

  it('makes the library links that an installation without scripts lacks', () => {
    const native = copyPackage()
    chmodSync(base, 0o755)
    for (const name of ['libpq.so.5', 'libicuuc.so.60']) rmSync(join(native, 'lib', name))
    expect(dirname(findBinaries(identity, log, native, []).postgres)).toBe(join(native, 'bin'))
    expect(existsSync(join(native, 'lib', 'libpq.so.5'))).toBe(true)
  })
})

describe.runIf(isRoot())('findBinaries as root', () => {
  it('copies programs that the database user cannot reach, once, whatever the umask was', {
    tags: ['story'],
  }, () => {
    const native = copyPackage()
    chmodSync(join(native, 'share', 'postgresql', 'postgres.bki'), 0o600)
    const place = mkdtempSync(join(tmpdir(), 'vedette-place-'))
    try {
      chmodSync(place, 0o755)
      const first = findBinaries(identity, log, native, [place])
      const madeAt = statSync(first.postgres).ctimeMs
      expect(first.postgres.startsWith(place)).toBe(true)
      expect(statSync(join(dirname(first.postgres), '../share/postgresql/postgres.bki')).mode & 0o777).toBe(
        0o644,
      )
      expect(findBinaries(identity, log, native, [place])).toEqual(first)
      expect(statSync(first.postgres).ctimeMs).toBe(madeAt)

      writeFileSync(join(dirname(first.postgres), '..', 'vedette-copy-complete'), 'cut off')
      expect(findBinaries(identity, log, native, [place])).toEqual(first)
      expect(statSync(first.postgres).ctimeMs).toBeGreaterThan(madeAt)
      expect(readdirSync(place)).toHaveLength(1)
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })

  it('refuses directories that others can write to, and names every path it tried', () => {
    const native = copyPackage()
    const place = mkdtempSync(join(tmpdir(), 'vedette-place-'))
    try {
      chmodSync(place, 0o777)
      symlinkSync('/', join(base, 'link'))
      expect(() => findBinaries(identity, log, native, [place, join(base, 'link')])).toThrow(
        /cannot be run as user id 60101[\s\S]*bin\/postgres may not be run[\s\S]*only root can write to[\s\S]*only root can write to/,
      )
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })
})

/** Into a folder with mode 0700, as mktemp -d makes it. */
function copyPackage(): string {
  const native = join(base, 'native')
  const from = join(dirname(findBinaries(identity, log).postgres), '..')
  cpSync(from, native, { recursive: true, verbatimSymlinks: true })
  return native
}
