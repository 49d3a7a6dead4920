// Lays out PLAYWRIGHT_BROWSERS_PATH for one version of Playwright: directories by the revisions in its browsers.json,
// executables at every path that a version uses. The version may be a suite's own, so it is only read as data, never run.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../core/parse-json.ts'
import { readPlainFile } from '../core/read-plain-file.ts'
import { type BrowserPrograms, findDownload, type ProgramName, programPaths } from './browsers.ts'
import type { BrowserName, BrowsersFolder } from './runtime.ts'

export interface BrowsersLayout {
  /** Directory of the package playwright-core. */
  playwrightCore: string
  /** Empty or absent. */
  into: string
  /** Chromium gets them before Playwright's own arguments. */
  browserArgs: readonly string[]
  programs: BrowserPrograms
}

const BrowsersFile = z.object({
  browsers: z.array(
    z.object({
      name: z.string().regex(/^[a-z-]{1,50}$/),
      revision: z.string().regex(/^\d{1,10}$/),
      revisionOverrides: z
        .record(z.string().regex(/^[\w.-]{1,50}$/), z.string().regex(/^\d{1,10}$/))
        .optional(),
    }),
  ),
})

const isProgramName = (name: string): name is ProgramName => Object.hasOwn(programPaths, name)

export async function layOutBrowsers(layout: BrowsersLayout): Promise<BrowsersFolder> {
  const { playwrightCore, into, programs } = layout
  const { browsers } = await readBrowsersFile(join(playwrightCore, 'browsers.json'))
  const hasShell = browsers.some(({ name }) => name === 'chromium-headless-shell')
  const reads = new Set<string>()
  const installed: BrowserName[] = []
  let hasVideo = false
  mkdirSync(into, { recursive: true, mode: 0o755 })
  for (const browser of browsers) {
    const { name } = browser
    if (!isProgramName(name)) continue
    const own = findOwn(name, browser.revision, programs)
    const program = own?.program ?? findSubstitute(name, programs, hasShell)
    if (program === null) continue
    reads.add(dirname(own?.folder ?? program))
    if (name === 'ffmpeg') hasVideo = true
    else installed.push(name)
    if (own && (name === 'firefox' || name === 'webkit')) {
      symlinkSync(own.folder, folderOf(into, browser))
      continue
    }
    const shell = name === 'chromium' && !hasShell && !own ? programs.headlessShell : null
    if (shell) reads.add(dirname(shell))
    const text = launcher(program, shell, name === 'ffmpeg' ? [] : layout.browserArgs)
    for (const folder of foldersOf(into, browser)) writePrograms(folder, programPaths[name], text)
  }
  if (!hasShell && installed.includes('chromium')) installed.push('chromium-headless-shell')
  return { folder: into, installed, hasVideo, reads: [...reads].filter((folder) => !isSystemPath(folder)) }
}

/** Every cell has these directories. */
const isSystemPath = (path: string) => /^\/(?:usr|bin|sbin|lib|lib32|lib64)(?:\/|$)/.test(path)

function findOwn(name: ProgramName, revision: string, { downloads, isChosen }: BrowserPrograms) {
  if (downloads === null || (isChosen && name.startsWith('chromium'))) return null
  return findDownload(downloads, name, revision)
}

/** Other versions of Chromium and ffmpeg work too; firefox and webkit are patched for their version of Playwright. */
function findSubstitute(name: ProgramName, programs: BrowserPrograms, hasShell: boolean): string | null {
  const { chromium, headlessShell, ffmpeg } = programs
  // Versions without a headless shell use one browser for both.
  if (name === 'chromium') return chromium ?? (hasShell ? null : headlessShell)
  if (name === 'chromium-headless-shell') return headlessShell
  return name === 'ffmpeg' ? ffmpeg : null
}

/** Versions without a shell start Chromium with `--headless`, which only the shell still supports. */
function launcher(program: string, shell: string | null, args: readonly string[]): string {
  const run = (path: string) => `exec ${[path, ...args].map(shellQuote).join(' ')} "$@"`
  if (shell === null || shell === program) return `#!/bin/sh\n${run(program)}\n`
  return `#!/bin/sh\nfor arg; do\n  case "$arg" in --headless | --headless=old) ${run(shell)} ;; esac\ndone\n${run(program)}\n`
}

function writePrograms(folder: string, paths: readonly string[], text: string): void {
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o755 })
    writeFileSync(join(folder, path), text, { mode: 0o755 })
  }
  // With the second marker, Playwright doesn't search for missing libraries at every launch.
  for (const marker of ['INSTALLATION_COMPLETE', 'DEPENDENCIES_VALIDATED']) {
    writeFileSync(join(folder, marker), '')
  }
}

type Browser = z.output<typeof BrowsersFile>['browsers'][number]

function folderOf(into: string, { name, revision }: Browser): string {
  return join(into, `${name.replaceAll('-', '_')}-${revision}`)
}

/** Playwright detects the Linux distribution itself: each one gets its directory. */
function foldersOf(into: string, browser: Browser): string[] {
  const others = Object.entries(browser.revisionOverrides ?? {})
    .filter(([system]) => /^(ubuntu|debian)/.test(system))
    .map(([system, revision]) => folderOf(into, { name: `${browser.name}_${system}_special`, revision }))
  return [folderOf(into, browser), ...others]
}

const maxBytes = 1_000_000

/** It may be a suite's own. */
async function readBrowsersFile(path: string): Promise<z.output<typeof BrowsersFile>> {
  const { data, error } = BrowsersFile.safeParse(parseJson((await readPlainFile(path, maxBytes)) ?? ''))
  if (data) return data
  throw new Error("This agent can't read the browsers.json of this version of Playwright", { cause: error })
}

/** One word of a POSIX shell command. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
