// An isolated network namespace: a loopback interface that can ignore pings, a name server, and an
// agent. Only bridged ports reach the story, over sockets in the file system.
// Needs Linux with user namespaces, and no privileges.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Zone } from './name-server.ts'

/** A command of the story for the island. */
export type IslandOrder =
  | { order: 'names'; zone: Zone }
  /** `afterEchoes`: takes effect after that many more pings. */
  | { order: 'respond to pings'; isResponding: boolean; afterEchoes?: number }

export interface IslandPlan {
  /** Port on the island, with its address if that isn't 127.0.0.1 → socket file of the story. */
  bridges: Record<string, string>
  /** The program that runs there, with its arguments. */
  command: string[]
}

const own = ['--user', '--map-root-user', '--net', '--mount']
const settle = 'ip link set lo up && mount --bind "$1" /etc/resolv.conf'

const probe = `${settle} && echo 0 > /proc/sys/net/ipv4/icmp_echo_ignore_all`

/**
 * False if namespaces are forbidden or /proc/sys is read-only. Stories fail then, unless VEDETTE_TEST_ISOLATION=none
 * declares that the host doesn't support them.
 */
export const canHaveIslands =
  process.env.VEDETTE_TEST_ISOLATION !== 'none' ||
  spawnSync('unshare', [...own, 'sh', '-c', probe, 'sh', '/dev/null']).status === 0

export class Island {
  readonly #folder = mkdtempSync(join(tmpdir(), 'vedette-island-'))
  readonly #bridges: Server[] = []
  #process: ChildProcess | null = null
  #log = ''
  #sent = 0

  /** Its output. */
  log = () => this.#log

  /**
   * `ports`: port on the island, or `127.0.0.4:80` → port on the loopback interface of the story. `network`: shell commands
   * that set up more interfaces before the command starts.
   */
  async settle(
    command: string[],
    environment: Record<string, string>,
    ports: Record<string, number>,
    network = '',
  ): Promise<void> {
    const bridges: Record<string, string> = {}
    for (const [inside, outside] of Object.entries(ports)) {
      const path = join(this.#folder, `${inside}.sock`)
      bridges[inside] = path
      this.#bridges.push(await bridgeTo(path, outside))
    }
    const resolvConf = join(this.#folder, 'resolv.conf')
    writeFileSync(resolvConf, 'nameserver 127.0.0.1\n')
    const program = fileURLToPath(new URL('./island-main.ts', import.meta.url))
    const plan: IslandPlan = { bridges, command }
    const script = `set -e\n${settle}\nshift\n${network}\nexec "$@"`
    const words = ['sh', resolvConf, process.execPath, program, JSON.stringify(plan)]
    this.#process = spawn('unshare', [...own, 'sh', '-c', script, ...words], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
      env: { ...environment, PATH: process.env.PATH, AGENT_DATA_DIR: join(this.#folder, 'agent') },
    })
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on('data', (chunk) => {
        this.#log += chunk
      })
    }
    await this.#waitFor(0)
  }

  /** Resolves when the command has taken effect. */
  async send(order: IslandOrder): Promise<void> {
    const number = ++this.#sent
    this.#process?.send({ ...order, number })
    await this.#waitFor(number)
  }

  async remove(): Promise<void> {
    const last = this.#process
    if (last?.pid !== undefined && last.exitCode === null && last.signalCode === null) {
      const closed = once(last, 'close')
      process.kill(-last.pid, 'SIGKILL')
      await closed
    }
    for (const bridge of this.#bridges) bridge.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** The island confirms each command by its number, and its start by 0. */
  #waitFor(number: number): Promise<void> {
    const island = this.#process as ChildProcess
    return new Promise((resolve, reject) => {
      const onClose = () => reject(new Error(`the island is gone:\n${this.#log}`))
      const onMessage = (message: unknown) => {
        if (message !== number) return
        island.off('message', onMessage).off('close', onClose)
        resolve()
      }
      island.on('message', onMessage).once('close', onClose)
    })
  }
}

async function bridgeTo(path: string, port: number): Promise<Server> {
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  }).listen(path)
  await once(server, 'listening')
  return server
}
