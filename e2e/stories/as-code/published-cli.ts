// The published command-line client, unmodified, as people install it with npm.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import type { Account as WholeAccount } from '../../account.ts'
import { until } from '../../until.ts'

const run = promisify(execFile)

type Account = Pick<WholeAccount, 'baseUrl' | 'headers' | 'id'>

export interface Outcome {
  code: number | null
  /** Both streams, without colors. */
  output: string
}

/** Newest releases of the client that run on Node 24 (the bundled one) and on Node 20. */
export const clients = [
  { version: '9.5.0', node: null },
  { version: '8.23.2', node: '20.20.2' },
] as const

export class PublishedCli {
  readonly #folder: string
  readonly #node: string
  readonly #environment: Record<string, string>

  private constructor(folder: string, node: string, account: Account) {
    this.#folder = folder
    this.#node = node
    this.#environment = {
      CHECKLY_ENV: 'local',
      CHECKLY_API_URL: account.baseUrl,
      CHECKLY_MQTT_URL: account.baseUrl.replace('http', 'ws'),
      CHECKLY_API_KEY: (account.headers.Authorization ?? '').replace('Bearer ', ''),
      CHECKLY_ACCOUNT_ID: account.id,
    }
  }

  /** `packages`: others that projects need, such as @playwright/test@1.2.3. */
  static async install(
    { version, node }: { version: string; node: string | null },
    account: Account,
    packages: readonly string[] = [],
  ): Promise<PublishedCli> {
    const folder = mkdtempSync(join(tmpdir(), 'vedette-as-code-'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'as-code', private: true }))
    const nodePackage = `node-${process.platform}-${process.arch}`
    const wanted = [`checkly@${version}`, ...packages, ...(node === null ? [] : [`${nodePackage}@${node}`])]
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', '--force']
    await run('npm', ['install', ...options, ...wanted], { cwd: folder })
    const program = node === null ? process.execPath : join(folder, 'node_modules', nodePackage, 'bin/node')
    return new PublishedCli(folder, program, account)
  }

  /** Writes the files of a project; returns its directory. */
  project(name: string, files: Readonly<Record<string, string>>): string {
    const folder = join(this.#folder, name)
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), content)
    }
    return folder
  }

  /** A project with packages of its own, and their lock file. */
  async installed(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const folder = this.project(name, files)
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
    return folder
  }

  /** A project with a lock file; its packages are those of the client. */
  async locked(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const folder = this.project(name, files)
    await run('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { cwd: folder })
    return folder
  }

  /** The variables that the client reads. */
  get environment(): Readonly<Record<string, string>> {
    return this.#environment
  }

  get program(): readonly [node: string, script: string] {
    return [this.#node, join(this.#folder, 'node_modules/.bin/checkly')]
  }

  /** Runs a command to its end. */
  async run(
    folder: string,
    words: readonly string[],
    environment: Record<string, string> = {},
  ): Promise<Outcome> {
    return (await this.start(folder, words, environment)).ended
  }

  start(folder: string, words: readonly string[], environment: Record<string, string> = {}): Started {
    const [node, script] = this.program
    const child = spawn(node, [script, ...words], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: `${dirname(node)}:${process.env.PATH ?? ''}`,
        HOME: this.#folder,
        CHECKLY_SKIP_NEW_VERSION_CHECK: 'true',
        ...this.#environment,
        ...environment,
      },
    })
    return new Started(child)
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** A command that runs. */
class Started {
  readonly #child: ChildProcess
  readonly ended: Promise<Outcome>
  #output = ''

  constructor(child: ChildProcess) {
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        this.#output += chunk
      })
    }
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve({ code, output: stripVTControlCharacters(this.#output) }))
    })
  }

  async says(text: string): Promise<void> {
    await until(`"${text}"`, () => stripVTControlCharacters(this.#output).includes(text), 60_000)
  }

  interrupt(): void {
    this.#child.kill('SIGINT')
  }
}
