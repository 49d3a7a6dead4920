import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ensureBrowser } from './browser.mjs'

let folder
let said
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vedette-apt-'))
  said = []
  writeFileSync(join(folder, 'debian'), 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n')
  writeFileSync(join(folder, 'ubuntu'), 'ID=ubuntu\nID_LIKE=debian\n')
  writeApt('exit 0')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Stands in for apt-get: notes how it was called, then does as told. */
function writeApt(body) {
  const note = `echo "$DEBIAN_FRONTEND: $*" >> ${join(folder, 'calls')}`
  writeFileSync(join(folder, 'apt-get'), `#!/bin/sh\n${note}\n${body}\n`)
  chmodSync(join(folder, 'apt-get'), 0o755)
}

const calls = () => {
  const path = join(folder, 'calls')
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}

const everything = ['chromium', 'chromium-headless-shell', 'ffmpeg']
const ensure = ({ missing = everything, environment = {}, ...options } = {}) =>
  ensureBrowser({
    say: (text) => said.push(text),
    environment: { PATH: `${folder}:/usr/bin:/bin`, ...environment },
    find: async () => missing,
    osRelease: join(folder, 'debian'),
    isRoot: true,
    ...options,
  })

describe('ensureBrowser', () => {
  it('asks the agent what it finds on this machine, and installs nothing that is there', async () => {
    const { PATH, HOME } = process.env
    const environment = { PATH: `${folder}:${PATH}`, HOME, CHROMIUM_PATH: process.execPath }
    const found = await ensureBrowser({ say: (text) => said.push(text), environment })
    expect({ found, said, calls: calls() }).toEqual({ found: true, said: [], calls: [] })
  })

  it('installs the packages of Debian, quietly and without questions', async () => {
    expect(await ensure()).toBe(true)
    expect(said).toEqual(['installing a browser with apt-get…'])
    const [update, install] = calls()
    expect(update).toMatch(/^noninteractive: -qq .*update$/)
    expect(install).toMatch(
      /install -y --no-install-recommends chromium-headless-shell chromium ffmpeg fonts-/,
    )
    expect(`${update}${install}`).not.toMatch(/https?:/)
  })

  it('goes on with the packages that are known when the update fails', async () => {
    writeApt('case "$*" in *update) exit 100 ;; esac')
    expect(await ensure()).toBe(true)
    expect(calls()).toHaveLength(2)
  })

  it('says what is missing and what to do when apt-get fails, and never throws', async () => {
    writeApt('echo "E: Unable to locate package chromium" >&2; exit 100')
    expect(await ensure()).toBe(false)
    expect(said.at(-1)).toMatch(/Unable to locate package chromium.*everything else works.*CHROMIUM_PATH/)
    rmSync(join(folder, 'apt-get'))
    expect(await ensure({ environment: { PATH: folder } })).toBe(false)
    expect(said.at(-1)).toContain('ENOENT')
  })

  it.each([
    ['on another system', () => ({ osRelease: join(folder, 'ubuntu') }), 'on Debian only'],
    ['where that is not known', () => ({ osRelease: join(folder, 'none') }), 'on Debian only'],
    ['for another user than root', () => ({ isRoot: false }), 'only root may'],
    [
      'against CHROMIUM_PATH',
      () => ({ environment: { CHROMIUM_PATH: '/none' } }),
      'CHROMIUM_PATH leads to no program',
    ],
  ])('installs nothing %s, and says why', async (_where, options, reason) => {
    expect(await ensure(options())).toBe(false)
    expect(said).toEqual([expect.stringContaining(reason)])
    expect(calls()).toEqual([])
  })

  it('only looks when it is told so', async () => {
    const environment = { VEDETTE_INSTALL_BROWSER: 'off' }
    expect(await ensure({ environment })).toBe(false)
    expect(await ensure({ environment, missing: ['ffmpeg'] })).toBe(true)
    expect({ said, calls: calls() }).toEqual({ said: [], calls: [] })
  })

  it('does not trouble a user who only lacks videos', async () => {
    expect(await ensure({ missing: ['ffmpeg'], isRoot: false })).toBe(true)
    expect(said).toEqual([])
  })
})
