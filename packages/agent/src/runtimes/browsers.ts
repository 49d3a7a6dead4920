// Which browsers are on this machine. Nothing is started: a program that is there and may be run counts.
import { accessSync, constants, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'

export interface BrowserSettings {
  /** CHROMIUM_PATH: comes before everything. */
  chromiumPath?: string | undefined
  /** PLAYWRIGHT_BROWSERS_PATH */
  browsersPath?: string | undefined
}

export interface BrowserPrograms {
  chromium: string | null
  /** The full browser where there is no headless shell: it can all that the shell can, more slowly. */
  headlessShell: string | null
  ffmpeg: string | null
  /** Folder of Playwright's own downloads, by name and revision; null: there are none. */
  downloads: string | null
  /** The Chromium above is the operator's choice: it also stands in for a download of the right revision. */
  isChosen: boolean
}

export function findBrowsers({ chromiumPath, browsersPath }: BrowserSettings): BrowserPrograms {
  const downloads = findDownloads(browsersPath)
  const find = (name: 'chromium' | 'chromium-headless-shell' | 'ffmpeg') =>
    [...downloadsOf(downloads, name), ...ofSystem[name]].find(isProgram) ?? null
  const shared = { ffmpeg: find('ffmpeg'), downloads }
  if (chromiumPath !== undefined) {
    // A wrong path is no Chromium, not another one that nobody asked for.
    const chosen = isProgram(chromiumPath) ? chromiumPath : null
    const isShell = /headless[-_]shell/.test(basename(chromiumPath))
    return { ...shared, chromium: isShell ? find('chromium') : chosen, headlessShell: chosen, isChosen: true }
  }
  const chromium = find('chromium')
  const headlessShell = find('chromium-headless-shell') ?? chromium
  return { ...shared, chromium, headlessShell, isChosen: false }
}

/** Debian's launchers in /usr/bin add flags and settings of the machine: the programs themselves come first. */
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

/** Where the versions of Playwright have their programs, below the folder of a revision. */
export const programPlaces = {
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

/** The program of one revision that Playwright downloaded; null: it did not. */
export function findDownload(
  downloads: string,
  name: keyof typeof programPlaces,
  revision: string,
): string | null {
  const folder = join(downloads, `${name.replaceAll('-', '_')}-${revision}`)
  return programPlaces[name].map((place) => join(folder, place)).find(isProgram) ?? null
}

function findDownloads(browsersPath: string | undefined): string | null {
  const home = homeFolder()
  const folder = browsersPath ?? (home && join(home, '.cache/ms-playwright'))
  if (!folder) return null
  return readFolder(folder).some((entry) => /-\d+$/.test(entry)) ? folder : null
}

/** A user that the machine has no entry for has none. */
function homeFolder(): string | null {
  try {
    return homedir()
  } catch {
    return null
  }
}

/** Newest first. */
function downloadsOf(downloads: string | null, name: keyof typeof programPlaces): string[] {
  if (downloads === null) return []
  const prefix = `${name.replaceAll('-', '_')}-`
  return readFolder(downloads)
    .filter((entry) => entry.startsWith(prefix) && /^\d+$/.test(entry.slice(prefix.length)))
    .map((entry) => entry.slice(prefix.length))
    .toSorted((a, b) => Number(b) - Number(a))
    .flatMap((revision) => findDownload(downloads, name, revision) ?? [])
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
