// An installation as its user has it: a data folder, a port, and `npm start` in the checkout.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
const program = fileURLToPath(new URL('../packages/cli/bin/vedette.mjs', import.meta.url))

export interface Running {
  /** Everything printed on stdout so far. */
  output(): string
  errors(): string
  /** Every process of the installation: npm, the server, PostgreSQL and its children. */
  processes(): number[]
  /** Signals the whole group, as a terminal does, or npm alone, as a supervisor does. */
  terminate(signal?: NodeJS.Signals, whom?: 'group' | 'npm'): Promise<number | null>
  kill(): Promise<void>
}

export class Installation {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'vedette-story-'))
  readonly port: number
  private readonly started: Running[] = []

  private constructor(port: number) {
    this.port = port
  }

  static async create(): Promise<Installation> {
    return new Installation(await freePort())
  }

  /** Resolves when the welcome has been printed; rejects when the process ends before. */
  async start(environment: Record<string, string> = {}): Promise<Running> {
    const child = spawn('npm', ['start'], {
      cwd: checkout,
      // A group of its own, as a terminal would give it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PORT: String(this.port),
        DATA_DIR: this.dataDir,
        HOST: '127.0.0.1',
        ...environment,
      },
    })
    const running = watch(child, this.dataDir)
    this.started.push(running)
    await ready(child, running)
    return running
  }

  /** Runs an operator command of `npx vedette`; returns what it prints. */
  async operate(...words: string[]): Promise<string> {
    const environment = { ...process.env, DATA_DIR: this.dataDir }
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...words], { env: environment })
    return stdout
  }

  async remove(): Promise<void> {
    for (const running of this.started) await running.kill()
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}

/** The command line that the welcome tells people to copy, as a request. */
export function printedRequest(output: string): { url: string; headers: Record<string, string> } {
  const line = output.split('\n').find((text) => text.trim().startsWith('curl ')) ?? ''
  const headers = Object.fromEntries(
    [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name, value]),
  )
  return { url: line.trim().split(' ').at(-1) ?? '', headers }
}

function watch(child: ChildProcess, dataDir: string): Running {
  let output = ''
  let errors = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  const processes = () => [...new Set([...groupOf(child.pid as number), ...mentioning(dataDir)])]
  return {
    output: () => output,
    errors: () => errors,
    processes,
    async terminate(signal = 'SIGTERM', whom = 'group') {
      const pid = child.pid as number
      process.kill(whom === 'group' ? -pid : pid, signal)
      const code = await ended
      // npm goes first, and its pipes are closed a moment before the last process is gone.
      await gone(processes)
      return code
    },
    async kill() {
      for (let pids = processes(); pids.length > 0; pids = processes()) {
        for (const pid of pids) killQuietly(pid)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await ended
    },
  }
}

/** Until no process is left; the test's own time limit bounds it. */
async function gone(processes: () => number[]): Promise<void> {
  while (processes().length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
}

async function ready(child: ChildProcess, running: Running): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      // The last line of either welcome.
      if (/keys create\n\n|accounts\/me\n\n/.test(running.output())) resolve()
    }
    child.stdout?.on('data', look)
    child.once('close', (code) =>
      reject(new Error(`ended with ${code}\n${running.output()}\n${running.errors()}`)),
    )
  })
}

function groupOf(pgid: number): number[] {
  return processTable()
    .filter((entry) => entry.pgid === pgid)
    .map((entry) => entry.pid)
}

/** PostgreSQL has the data directory in its command line, the agent in its environment; both lead their own session. */
function mentioning(dataDir: string): number[] {
  const table = processTable()
  const roots = table
    .filter(({ pid }) =>
      ['cmdline', 'environ'].some((file) => read(`/proc/${pid}/${file}`).includes(dataDir)),
    )
    .map(({ pid }) => pid)
  const children = table.filter(({ ppid }) => roots.includes(ppid)).map(({ pid }) => pid)
  return [...roots, ...children]
}

function processTable(): { pid: number; ppid: number; pgid: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = read(`/proc/${name}/stat`)
      const [state, ppid, pgid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return stat === '' || state === 'Z'
        ? []
        : [{ pid: Number(name), ppid: Number(ppid), pgid: Number(pgid) }]
    })
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself in the meantime.
  }
}
