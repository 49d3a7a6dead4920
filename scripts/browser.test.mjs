import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ensureBrowser } from './browser.mjs'

let folder
let printed
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vedette-apt-'))
  printed = []
  writeFileSync(join(folder, 'debian'), 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n')
  writeFileSync(join(folder, 'ubuntu'), 'ID=ubuntu\nID_LIKE=debian\n')
  writeApt('exit 0')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A fake apt-get: records its arguments, then runs `body`. */
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
    print: (text) => printed.push(text),
    environment: { PATH: `${folder}:/usr/bin:/bin`, ...environment },
    find: async () => missing,
    osRelease: join(folder, 'debian'),
    isRoot: true,
    ...options,
  })

describe('ensureBrowser', () => {
  it('uses the search of the agent, and installs nothing if a browser is found', async () => {
    const { PATH, HOME } = process.env
    const environment = { PATH: `${folder}:${PATH}`, HOME, CHROMIUM_PATH: process.execPath }
    const found = await ensureBrowser({ print: (text) => printed.push(text), environment })
    expect({ found, printed, calls: calls() }).toEqual({ found: true, printed: [], calls: [] })
  })

  it('installs the packages of Debian, quietly and without questions', async () => {
    expect(await ensure()).toBe(true)
    expect(printed).toEqual(['installing a browser with apt-get…'])
    const [update, install] = calls()
    expect(update).toMatch(/^noninteractive: -qq .*update$/)
    expect(install).toMatch(
      /install -y --no-install-recommends bubblewrap chromium-headless-shell chromium ffmpeg fonts-/,
    )
    expect(`${update}${install}`).not.toMatch(/https?:/)
  })

  it('installs from the known package lists if the update fails', async () => {
    writeApt('case "$*" in *update) exit 100 ;; esac')
    expect(await ensure()).toBe(true)
    expect(calls()).toHaveLength(2)
  })

  it('prints what is missing and what to do if apt-get fails, and never throws', async () => {
    writeApt('echo "E: Unable to locate package chromium" >&2; exit 100')
    expect(await ensure()).toBe(false)
    expect(printed.at(-1)).toMatch(/Unable to locate package chromium.*everything else works.*CHROMIUM_PATH/)
    rmSync(join(folder, 'apt-get'))
    expect(await ensure({ environment: { PATH: folder } })).toBe(false)
    expect(printed.at(-1)).toContain('ENOENT')
  })

  it.each([
    ['on another system', () => ({ osRelease: join(folder, 'ubuntu') }), 'on Debian only'],
    ['on an unknown system', () => ({ osRelease: join(folder, 'none') }), 'on Debian only'],
    ['without root', () => ({ isRoot: false }), 'only root can'],
    [
      'with CHROMIUM_PATH',
      () => ({ environment: { CHROMIUM_PATH: '/none' } }),
      "CHROMIUM_PATH isn't a program",
    ],
  ])('installs nothing %s, and prints why', async (_name, options, reason) => {
    expect(await ensure(options())).toBe(false)
    expect(printed).toEqual([expect.stringContaining(reason)])
    expect(calls()).toEqual([])
  })

  it('only searches with VEDETTE_INSTALL_BROWSER=off', async () => {
    const environment = { VEDETTE_INSTALL_BROWSER: 'off' }
    expect(await ensure({ environment })).toBe(false)
    expect(await ensure({ environment, missing: ['ffmpeg'] })).toBe(true)
    expect({ printed, calls: calls() }).toEqual({ printed: [], calls: [] })
  })

  it('installs bubblewrap alone beside a browser, or prints how to', async () => {
    const environment = { CHROMIUM_PATH: '/opt/browser' }
    expect(await ensure({ missing: ['bubblewrap'], environment })).toBe(true)
    expect(calls().at(-1)).toMatch(/--no-install-recommends bubblewrap$/)
    expect(await ensure({ missing: ['bubblewrap'], isRoot: false })).toBe(true)
    expect(printed.at(-1)).toMatch(/only root can.*apt install bubblewrap/)
  })

  it('prints nothing if only videos are unavailable', async () => {
    expect(await ensure({ missing: ['ffmpeg'], isRoot: false })).toBe(true)
    expect(printed).toEqual([])
  })
})
