// A machine's network of its own, cut off from everything: a loopback that can be told not to answer pings, a name
// server that is ours, and an agent that lives on it. Only what is bridged reaches the story's side, over sockets of
// the file system. Needs Linux with user namespaces, and no privilege.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Zone } from './name-server.ts'

/** What the story tells the island to do. */
export type IslandOrder =
  | { order: 'names'; zone: Zone }
  /** `afterEchoes`: stays deaf until it has heard that many more pings. */
  | { order: 'answer pings'; isAnswering: boolean; afterEchoes?: number }

export interface IslandPlan {
  /** Port on the island, with its address where that is another than 127.0.0.1 → socket file that leads to the story's side. */
  bridges: Record<string, string>
  /** What lives there: a program and its arguments. */
  command: string[]
}

const own = ['--user', '--map-root-user', '--net', '--mount']
const settle = 'ip link set lo up && mount --bind "$1" /etc/resolv.conf'

const probe = `${settle} && echo 0 > /proc/sys/net/ipv4/icmp_echo_ignore_all`

/**
 * Not where namespaces are forbidden, or /proc/sys is read-only. Stories fail there, unless VEDETTE_TEST_ISOLATION=none
 * says that the host can't have them.
 */
export const canHaveIslands =
  process.env.VEDETTE_TEST_ISOLATION !== 'none' ||
  spawnSync('unshare', [...own, 'sh', '-c', probe, 'sh', '/dev/null']).status === 0

export class Island {
  readonly #folder = mkdtempSync(join(tmpdir(), 'vedette-island-'))
  readonly #bridges: Server[] = []
  #process: ChildProcess | null = null
  #log = ''
  #told = 0

  /** Everything that was said there. */
  log = () => this.#log

  /**
   * `ports`: port on the island, or `127.0.0.4:80` → port on the story's loopback. `network`: shell commands that set up
   * more interfaces before the command starts.
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
    await this.#heard(0)
  }

  /** Resolves when it is so. */
  async tell(order: IslandOrder): Promise<void> {
    const number = ++this.#told
    this.#process?.send({ ...order, number })
    await this.#heard(number)
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

  /** The island says back the number of each order, and 0 once it is settled. */
  #heard(number: number): Promise<void> {
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
