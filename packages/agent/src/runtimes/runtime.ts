// A runtime that is installed on this machine: Node and the packages that scripts of its name can use.

export interface InstalledRuntime {
  /** 2026.04 */
  name: string
  /** Holds package.json, node_modules and nothing of the agent's; mounted read-only. */
  folder: string
  /** Path of its Node below the folder. */
  node: string
  nodeVersion: string
  playwrightVersion: string
}

export type BrowserName = 'chromium' | 'chromium-headless-shell' | 'firefox' | 'webkit'

/** Browsers as Playwright looks for them: a folder laid out for one version of it, with links to what is installed. */
export interface BrowsersFolder {
  folder: string
  /** Absent ones are told by name when a check asks for them. */
  installed: readonly BrowserName[]
  /** Without it Playwright records no video. */
  hasVideo: boolean
  /** Folders outside /usr that programs in it lead to; they must be readable at the same place. */
  reads: readonly string[]
}
