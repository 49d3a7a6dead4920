// Debian's prometheus-blackbox-exporter as a separate process. If it isn't installed, its package is downloaded and
// unpacked into a directory of the benchmark: nothing is installed on the machine, and no service starts.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { endProgram, freePort } from './server-process.ts'

const name = 'prometheus-blackbox-exporter'

export interface Exporter {
  pid: number
  version: string
  /** Probes with this concurrency until the time is up; resolves to the number of probes. */
  run(target: string, options: { inFlight: number; ms: number }): Promise<number>
  stop(): Promise<void>
}

/** Trusts `ca`, a file. Throws if it isn't available: no apt-get, no network. */
export async function startExporter(folder: string, ca: string): Promise<Exporter> {
  const program = findProgram(folder)
  const config = join(folder, 'blackbox.yml')
  writeFileSync(
    config,
    JSON.stringify({ modules: { http_2xx: { prober: 'http', http: { tls_config: { ca_file: ca } } } } }),
  )
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    program,
    [`--config.file=${config}`, `--web.listen-address=${address}`, '--log.level=error'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  await waitForResponse(`http://${address}/-/healthy`)
  return {
    pid: child.pid as number,
    version: versionOf(program),
    run: (target, options) =>
      probe(`http://${address}/probe?module=http_2xx&target=${encodeURIComponent(target)}`, options),
    stop: () => endProgram(child),
  }
}

function findProgram(folder: string): string {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return name
  } catch {
    return unpack(join(folder, 'package'))
  }
}

function unpack(folder: string): string {
  mkdirSync(folder)
  const download = () => execFileSync('apt-get', ['download', name], { cwd: folder, stdio: 'pipe' })
  try {
    try {
      download()
    } catch {
      // A new machine has no package list yet.
      execFileSync('apt-get', ['update'], { stdio: 'pipe' })
      download()
    }
    const file = readdirSync(folder).find((entry) => entry.endsWith('.deb')) ?? ''
    execFileSync('dpkg-deb', ['-x', join(folder, file), folder], { stdio: 'pipe' })
  } catch (cause) {
    const reason = String((cause as { stderr?: Buffer }).stderr ?? '').trim() || (cause as Error).message
    throw new Error(`${name} is not installed, and its package can't be fetched: ${reason}`, { cause })
  }
  return join(folder, 'usr/bin', name)
}

function versionOf(program: string): string {
  const text = execFileSync(program, ['--version'], { encoding: 'utf8' })
  return /version (\S+)/.exec(text)?.[1] ?? 'of unknown version'
}

async function waitForResponse(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      if ((await fetch(url)).ok) return
    } catch {
      // Not ready yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${name} doesn't respond at ${url}`)
}

async function probe(url: string, { inFlight, ms }: { inFlight: number; ms: number }): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  const end = performance.now() + ms
  let count = 0
  const worker = async () => {
    while (performance.now() < end) {
      await once(url, agent)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  agent.destroy()
  return count
}

function once(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.once('end', () =>
        text.includes('\nprobe_success 1\n') ? resolve() : reject(new Error(`a probe failed: ${text}`)),
      )
      response.once('error', reject)
    }).once('error', reject)
  })
}
