// Finds the browsers on this machine by their executables, without starting them.
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { isExecutable } from '../core/system-tool.ts'

export interface BrowserSettings {
  /** CHROMIUM_PATH: takes precedence. */
  chromiumPath?: string | undefined
  /** PLAYWRIGHT_BROWSERS_PATH */
  browsersPath?: string | undefined
}

export interface BrowserPrograms {
  chromium: string | null
  /** The full browser if there is no headless shell: it does the same, more slowly. */
  headlessShell: string | null
  ffmpeg: string | null
  /** Directory of Playwright's own downloads, by name and revision; null: there are none. */
  downloads: string | null
  /** The operator chose the Chromium above: it also replaces a download of the right revision. */
  isChosen: boolean
}

export function findBrowsers({ chromiumPath, browsersPath }: BrowserSettings): BrowserPrograms {
  const downloads = findDownloads(browsersPath)
  const find = (name: 'chromium' | 'chromium-headless-shell' | 'ffmpeg') =>
    [...downloadsOf(downloads, name), ...ofSystem[name]].find(isExecutable) ?? null
  const shared = { ffmpeg: find('ffmpeg'), downloads }
  if (chromiumPath !== undefined) {
    // A wrong path must not select another Chromium.
    const chosen = isExecutable(chromiumPath) ? chromiumPath : null
    const isShell = /headless[-_]shell/.test(basename(chromiumPath))
    return { ...shared, chromium: isShell ? find('chromium') : chosen, headlessShell: chosen, isChosen: true }
  }
  const chromium = find('chromium')
  const headlessShell = find('chromium-headless-shell') ?? chromium
  return { ...shared, chromium, headlessShell, isChosen: false }
}

/** The executables first: Debian's launchers in /usr/bin add flags and settings of the machine. */
const ofSystem = {
  chromium: [
    '/usr/lib/chromium/chromium',
    '/usr/bin/chromium',
    '/opt/google/chrome/chrome',
    '/usr/lib64/chromium-browser/chromium-browser',
  ],
  'chromium-headless-shell': [
    '/usr/lib/chromium/chromium-headless-shell',
    '/usr/bin/chromium-headless-shell',
    '/usr/lib64/chromium-browser/headless_shell',
  ],
  ffmpeg: ['/usr/bin/ffmpeg', '/usr/local/bin/ffmpeg'],
}

/** Paths of executables below the directory of a revision, over all versions of Playwright. */
export const programPaths = {
  chromium: ['chrome-linux64/chrome', 'chrome-linux/chrome', 'chrome-linux-arm64/chrome'],
  'chromium-headless-shell': [
    'chrome-headless-shell-linux64/chrome-headless-shell',
    'chrome-headless-shell-linux-arm64/chrome-headless-shell',
    'chrome-linux/headless_shell',
  ],
  firefox: ['firefox/firefox'],
  webkit: ['pw_run.sh'],
  ffmpeg: ['ffmpeg-linux'],
} as const

export type ProgramName = keyof typeof programPaths

/** A revision that Playwright downloaded; null: it didn't. */
export function findDownload(downloads: string, name: ProgramName, revision: string) {
  const folder = join(downloads, `${name.replaceAll('-', '_')}-${revision}`)
  const program = programPaths[name].map((path) => join(folder, path)).find(isExecutable)
  return program === undefined ? null : { folder, program }
}

function findDownloads(browsersPath: string | undefined): string | null {
  const home = homeFolder()
  const folder = browsersPath ?? (home && join(home, '.cache/ms-playwright'))
  if (!folder) return null
  return readFolder(folder).some((entry) => /-\d+$/.test(entry)) ? folder : null
}

/** Null for a user without an entry in /etc/passwd. */
function homeFolder(): string | null {
  try {
    return homedir()
  } catch {
    return null
  }
}

/** Newest first. */
function downloadsOf(downloads: string | null, name: ProgramName): string[] {
  if (downloads === null) return []
  const download = new RegExp(`^${name.replaceAll('-', '_')}-(\\d+)$`)
  return readFolder(downloads)
    .flatMap((entry) => download.exec(entry)?.[1] ?? [])
    .toSorted((a, b) => Number(b) - Number(a))
    .flatMap((revision) => findDownload(downloads, name, revision)?.program ?? [])
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
