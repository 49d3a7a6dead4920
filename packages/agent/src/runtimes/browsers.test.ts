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
  it("takes Playwright's own downloads before the system's, the newest first", () => {
    program('chromium-999/chrome-linux/chrome')
    const chromium = program('chromium-1208/chrome-linux64/chrome')
    const headlessShell = program(
      'chromium_headless_shell-1208/chrome-headless-shell-linux64/chrome-headless-shell',
    )
    const ffmpeg = program('ffmpeg-1011/ffmpeg-linux')
    const found = findBrowsers({ browsersPath: folder })
    expect(found).toEqual({ chromium, headlessShell, ffmpeg, downloads: folder, isChosen: false })
  })

  it('passes over a download that is not whole', () => {
    mkdirSync(join(folder, 'chromium-1300'))
    const older = program('chromium-1208/chrome-linux/chrome')
    expect(findBrowsers({ browsersPath: folder }).chromium).toBe(older)
  })

  it('finds the packages of this system where nothing was downloaded', () => {
    const { chromium, headlessShell, ffmpeg, downloads } = findBrowsers({ browsersPath: folder })
    expect(downloads).toBeNull()
    expect(chromium).toMatch(/chrom/)
    expect(headlessShell).toMatch(/headless[-_]shell/)
    expect(ffmpeg).toMatch(/ffmpeg$/)
  })

  it('lets CHROMIUM_PATH stand for both, before every download', () => {
    program('chromium-1208/chrome-linux64/chrome')
    const chosen = program('mine/chrome')
    const found = findBrowsers({ browsersPath: folder, chromiumPath: chosen })
    expect(found).toMatchObject({ chromium: chosen, headlessShell: chosen, isChosen: true })
  })

  it('takes a headless shell of CHROMIUM_PATH for what it is', () => {
    const chromium = program('chromium-1208/chrome-linux64/chrome')
    const chosen = program('mine/headless_shell')
    const found = findBrowsers({ browsersPath: folder, chromiumPath: chosen })
    expect(found).toMatchObject({ chromium, headlessShell: chosen })
  })

  it('has no Chromium when CHROMIUM_PATH leads to no program', () => {
    const plain = program('mine/chrome')
    chmodSync(plain, 0o644)
    for (const chromiumPath of [plain, join(folder, 'nothing')]) {
      const found = findBrowsers({ browsersPath: folder, chromiumPath })
      expect([found.chromium, found.headlessShell]).toEqual([null, null])
    }
  })
})

describe('findDownload', () => {
  it('wants the very revision', () => {
    const firefox = program('firefox-1509/firefox/firefox')
    expect(findDownload(folder, 'firefox', '1509')).toBe(firefox)
    expect(findDownload(folder, 'firefox', '1510')).toBeNull()
  })
})
