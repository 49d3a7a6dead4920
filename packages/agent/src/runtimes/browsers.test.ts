import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findBrowsers, findDownload } from './browsers.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vedette-browsers-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const program = (path: string) => {
  const full = join(folder, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, '#!/bin/sh\n', { mode: 0o755 })
  return full
}

describe('findBrowsers', () => {
  it("prefers Playwright's own downloads to the system's, the newest first", () => {
    program('chromium-999/chrome-linux/chrome')
    const chromium = program('chromium-1208/chrome-linux64/chrome')
    const headlessShell = program(
      'chromium_headless_shell-1208/chrome-headless-shell-linux64/chrome-headless-shell',
    )
    const ffmpeg = program('ffmpeg-1011/ffmpeg-linux')
    const found = findBrowsers({ browsersPath: folder })
    expect(found).toEqual({ chromium, headlessShell, ffmpeg, downloads: folder, isChosen: false })
  })

  it('ignores an incomplete download', () => {
    mkdirSync(join(folder, 'chromium-1300'))
    const older = program('chromium-1208/chrome-linux/chrome')
    expect(findBrowsers({ browsersPath: folder }).chromium).toBe(older)
  })

  it('finds the packages of this system if nothing was downloaded', () => {
    const { chromium, headlessShell, ffmpeg, downloads } = findBrowsers({ browsersPath: folder })
    expect(downloads).toBeNull()
    expect(chromium).toMatch(/chrom/)
    expect(headlessShell).toMatch(/headless[-_]shell/)
    expect(ffmpeg).toMatch(/ffmpeg$/)
  })

  it('uses CHROMIUM_PATH for both, before every download', () => {
    program('chromium-1208/chrome-linux64/chrome')
    const chosen = program('mine/chrome')
    const found = findBrowsers({ browsersPath: folder, chromiumPath: chosen })
    expect(found).toMatchObject({ chromium: chosen, headlessShell: chosen, isChosen: true })
  })

  it('recognizes a headless shell in CHROMIUM_PATH', () => {
    const chromium = program('chromium-1208/chrome-linux64/chrome')
    const chosen = program('mine/headless_shell')
    const found = findBrowsers({ browsersPath: folder, chromiumPath: chosen })
    expect(found).toMatchObject({ chromium, headlessShell: chosen })
  })

  it("finds no Chromium if CHROMIUM_PATH isn't an executable", () => {
    const plain = program('mine/chrome')
    chmodSync(plain, 0o644)
    for (const chromiumPath of [plain, join(folder, 'nothing')]) {
      const found = findBrowsers({ browsersPath: folder, chromiumPath })
      expect([found.chromium, found.headlessShell]).toEqual([null, null])
    }
  })
})

describe('findDownload', () => {
  it('finds only the exact revision', () => {
    const firefox = program('firefox-1509/firefox/firefox')
    expect(findDownload(folder, 'firefox', '1509')?.program).toBe(firefox)
    expect(findDownload(folder, 'firefox', '1510')).toBeNull()
  })
})
