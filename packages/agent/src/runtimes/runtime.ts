// A runtime that is installed on this machine: Node and packages for scripts.

export interface InstalledRuntime {
  /** 2026.04 */
  name: string
  /** Contains package.json and node_modules, nothing of the agent; mounted read-only. */
  folder: string
  /** Path of its Node below the folder. */
  node: string
  nodeVersion: string
  playwrightVersion: string
}

export type BrowserName = 'chromium' | 'chromium-headless-shell' | 'firefox' | 'webkit'

/** A directory of browsers laid out for one version of Playwright, with links to what is installed. */
export interface BrowsersFolder {
  folder: string
  installed: readonly BrowserName[]
  /** False: Playwright can't record videos. */
  hasVideo: boolean
  /** Directories outside the system's that its programs need, readable under the same path. */
  reads: readonly string[]
}
