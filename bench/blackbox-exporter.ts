// Debian's prometheus-blackbox-exporter as a process of its own. Where it is not installed, its package is fetched and
// unpacked into a folder of the bench: nothing is set up on the machine, and no service starts.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { endProgram, freePort } from './server-process.ts'

const name = 'prometheus-blackbox-exporter'

export interface Exporter {
  pid: number
  version: string
  /** Probes over and over, so many at once, until the time is up; how many probes that were. */
  run(target: string, options: { inFlight: number; ms: number }): Promise<number>
  stop(): Promise<void>
}

/** It trusts `ca`, a file. Throws where it can't be had: no apt-get, no network. */
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
  await answers(`http://${address}/-/healthy`)
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
      // On a machine that has never looked, the list of packages is not there yet.
      execFileSync('apt-get', ['update'], { stdio: 'pipe' })
      download()
    }
    const file = readdirSync(folder).find((entry) => entry.endsWith('.deb')) ?? ''
    execFileSync('dpkg-deb', ['-x', join(folder, file), folder], { stdio: 'pipe' })
  } catch (cause) {
    const said = String((cause as { stderr?: Buffer }).stderr ?? '').trim() || (cause as Error).message
    throw new Error(`${name} is not installed, and its package can't be fetched: ${said}`, { cause })
  }
  return join(folder, 'usr/bin', name)
}

function versionOf(program: string): string {
  const text = execFileSync(program, ['--version'], { encoding: 'utf8' })
  return /version (\S+)/.exec(text)?.[1] ?? 'of unknown version'
}

async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      if ((await fetch(url)).ok) return
    } catch {
      // Not yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${name} does not answer at ${url}`)
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
    get(url, { agent }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.once('end', () =>
        text.includes('\nprobe_success 1\n') ? resolve() : reject(new Error(`a probe failed: ${text}`)),
      )
      answer.once('error', reject)
    }).once('error', reject)
  })
}
