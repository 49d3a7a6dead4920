// Lays out PLAYWRIGHT_BROWSERS_PATH for one version of Playwright. That version may be a suite's own, so it is only read as
// data, never run: folders by the revisions in its browsers.json, programs at every place where a version looks for them.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { constants, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type BrowserPrograms, findDownload, programPlaces } from './browsers.ts'
import type { BrowserName, BrowsersFolder } from './runtime.ts'

export interface BrowsersLayout {
  /** Folder of the package playwright-core. */
  playwrightCore: string
  /** Empty or absent. */
  into: string
  /** Given to Chromium before what Playwright gives it. */
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

type Place = keyof typeof programPlaces

export async function layOutBrowsers(layout: BrowsersLayout): Promise<BrowsersFolder> {
  const { playwrightCore, into, programs } = layout
  const { browsers } = await readBrowsersFile(join(playwrightCore, 'browsers.json'))
  const hasShell = browsers.some(({ name }) => name === 'chromium-headless-shell')
  const reads = new Set<string>()
  const installed: BrowserName[] = []
  let hasVideo = false
  mkdirSync(into, { recursive: true, mode: 0o755 })
  for (const browser of browsers) {
    if (!Object.hasOwn(programPlaces, browser.name)) continue
    const name = browser.name as Place
    const own = findOwn(name, browser.revision, programs)
    const program = own ?? standIn(name, programs, hasShell)
    if (program === null) continue
    if (own) reads.add(programs.downloads as string)
    else reads.add(dirname(program))
    if (name === 'ffmpeg') hasVideo = true
    else installed.push(name)
    if (name === 'firefox' || name === 'webkit') {
      symlinkSync(join(programs.downloads as string, `${name}-${browser.revision}`), folderOf(into, browser))
      continue
    }
    const shell = name === 'chromium' && !hasShell && !own ? programs.headlessShell : null
    if (shell) reads.add(dirname(shell))
    const text = launcher(program, shell, name === 'ffmpeg' ? [] : layout.browserArgs)
    for (const folder of foldersOf(into, browser)) writePrograms(folder, programPlaces[name], text)
  }
  if (!hasShell && installed.includes('chromium')) installed.push('chromium-headless-shell')
  const isSystem = (folder: string) => folder.startsWith('/usr/')
  return { folder: into, installed, hasVideo, reads: [...reads].filter((folder) => !isSystem(folder)) }
}

function findOwn(name: Place, revision: string, { downloads, isChosen }: BrowserPrograms): string | null {
  if (downloads === null || (isChosen && name.startsWith('chromium'))) return null
  return findDownload(downloads, name, revision)
}

/** Chromium and ffmpeg of other versions do; firefox and webkit are patched for their version of Playwright. */
function standIn(name: Place, programs: BrowserPrograms, hasShell: boolean): string | null {
  const { chromium, headlessShell, ffmpeg } = programs
  // Before there was a headless shell, the one browser was both.
  if (name === 'chromium') return chromium ?? (hasShell ? null : headlessShell)
  if (name === 'chromium-headless-shell') return headlessShell
  return name === 'ffmpeg' ? ffmpeg : null
}

/** What was `--headless` before there was a shell is the shell: the full browser has no such mode any more. */
function launcher(program: string, shell: string | null, args: readonly string[]): string {
  const run = (path: string) => `exec ${[path, ...args].map(quote).join(' ')} "$@"`
  if (shell === null || shell === program) return `#!/bin/sh\n${run(program)}\n`
  return `#!/bin/sh\nfor arg; do\n  case "$arg" in --headless | --headless=old) ${run(shell)} ;; esac\ndone\n${run(program)}\n`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function writePrograms(folder: string, places: readonly string[], text: string): void {
  for (const place of places) {
    mkdirSync(dirname(join(folder, place)), { recursive: true, mode: 0o755 })
    writeFileSync(join(folder, place), text, { mode: 0o755 })
  }
  // The second spares a look for missing libraries at every launch.
  for (const marker of ['INSTALLATION_COMPLETE', 'DEPENDENCIES_VALIDATED']) {
    writeFileSync(join(folder, marker), '')
  }
}

type Browser = z.output<typeof BrowsersFile>['browsers'][number]

function folderOf(into: string, { name, revision }: Browser): string {
  return join(into, `${name.replaceAll('-', '_')}-${revision}`)
}

/** Which system Playwright takes this one for is its own guess: all of Linux get their folder. */
function foldersOf(into: string, browser: Browser): string[] {
  const others = Object.entries(browser.revisionOverrides ?? {})
    .filter(([system]) => /^(ubuntu|debian)/.test(system))
    .map(([system, revision]) => folderOf(into, { name: `${browser.name}_${system}_special`, revision }))
  return [folderOf(into, browser), ...others]
}

const maxBytes = 1_000_000

async function readBrowsersFile(path: string): Promise<z.output<typeof BrowsersFile>> {
  try {
    return BrowsersFile.parse(JSON.parse(await readSmallFile(path)))
  } catch (cause) {
    throw new Error('This version of Playwright has no browsers.json that this agent can read', { cause })
  }
}

/** A suite's own file: it may be anything, a link or endless. */
async function readSmallFile(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { size } = await file.stat()
    if (size > maxBytes) throw new Error(`${size} bytes are no list of browsers`)
    const buffer = Buffer.alloc(size)
    await file.read(buffer, 0, size, 0)
    return buffer.toString()
  } finally {
    await file.close()
  }
}
