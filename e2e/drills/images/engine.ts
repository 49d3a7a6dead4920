// Builds and runs images without a daemon, in a separate store that is removed with its directory.

import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { thisCheckout } from '../fleet.ts'
import { removeStore, run, type Started, startProcess } from './tools.ts'

const baseImage = 'localhost/vedette-base'
/** The user of the images. */
const imageUser = '10001'

/** As buildah lists an image; layers without a tag have no names. */
interface Listed {
  names: string[] | null
  size: string
}

type Runner = 'buildah' | readonly string[]

/** podman, and podman with another runtime: crun refuses hybrid control groups. */
export const podmanRuntimes: readonly (readonly string[])[] = [
  [],
  ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs'],
]
/** Lower than podman's own, which a container without CAP_SYS_RESOURCE may not set. */
export const podmanLimits = ['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=10000:10000']

export class Engine {
  readonly #folder: string
  readonly #storage: string[]
  #runner: Runner = 'buildah'

  private constructor(folder: string, driver: string) {
    this.#folder = folder
    this.#storage = [
      '--root',
      join(folder, `${driver}-store`),
      '--runroot',
      join(folder, `${driver}-run`),
      '--storage-driver',
      driver,
    ]
  }

  /** The overlay driver needs a kernel and a file system that allow it; vfs copies every layer and always works. */
  static async open(folder: string): Promise<Engine> {
    const overlay = new Engine(folder, 'overlay')
    try {
      await overlay.#buildah('rm', (await overlay.#buildah('from', 'scratch')).trim())
      return overlay
    } catch {
      return new Engine(folder, 'vfs')
    }
  }

  get #store(): string {
    return this.#storage[1] as string
  }

  describe(): string {
    const runner = this.#runner === 'buildah' ? 'buildah run' : ['podman', ...this.#runner].join(' ')
    return `storage driver ${this.#storage.at(-1)}, started with ${runner}`
  }

  /**
   * What the Dockerfile expects of its base: Debian 12, Node 24 and npm. Node and npm come from the npm registry, by name.
   * The base trusts the certificates that this machine trusts.
   */
  async makeBase(): Promise<void> {
    const archive = join(this.#folder, 'debian.tar')
    await run('mmdebstrap', [
      '--variant=minbase',
      '--dpkgopt=force-unsafe-io',
      '--include=ca-certificates',
      'bookworm',
      archive,
      ...aptSources(),
    ])
    const local = join(this.#folder, 'local')
    mkdirSync(join(local, 'etc'), { recursive: true })
    const arch = `${process.platform}-${process.arch}`
    const options = ['--ignore-scripts', '--no-audit', '--no-fund']
    await run('npm', ['install', '--global', '--prefix', local, ...options, 'npm@11'])
    cpSync(join(thisCheckout.root, 'node_modules', `node-${arch}`), join(local, 'lib/node'), {
      recursive: true,
    })
    symlinkSync('../lib/node/bin/node', join(local, 'bin/node'))
    const container = (await this.#buildah('from', 'scratch')).trim()
    const trusted = process.env.NODE_EXTRA_CA_CERTS
    if (trusted !== undefined && existsSync(trusted)) {
      cpSync(trusted, join(local, 'etc/trusted.crt'), { dereference: true })
      writeFileSync(join(local, 'etc/npmrc'), 'cafile=/usr/local/etc/trusted.crt\n')
      await this.#buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/usr/local/etc/trusted.crt', container)
    }
    await this.#buildah('add', container, archive, '/')
    await this.#buildah('add', container, local, '/usr/local')
    const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    await this.#buildah('config', '--env', path, container)
    await this.#buildah('commit', '--rm', container, baseImage)
  }

  /** Returns the image's name. */
  async build(target: string): Promise<string> {
    const image = `localhost/vedette-${target}`
    await this.#buildah(
      ...['bud', '--format', 'docker', '--layers', '--isolation', 'chroot', '--pull-never'],
      ...['--build-arg', `BASE=${baseImage}`, '--target', target, '--tag', image, thisCheckout.root],
    )
    return image
  }

  async sizeMb(image: string): Promise<number> {
    const images = JSON.parse(await this.#buildah('images', '--json')) as Listed[]
    const size = images.find(({ names }) => names?.some((name) => name.startsWith(`${image}:`)))?.size
    const [, number, unit] = /^([\d.]+)\s*([MG]B)$/.exec(size ?? '') ?? []
    if (number === undefined) throw new Error(`the size of ${image} is ${size}`)
    return Math.round(Number(number) * (unit === 'GB' ? 1000 : 1))
  }

  /** podman, or else buildah. */
  async findRunner(image: string): Promise<void> {
    const tried: string[] = []
    for (const options of podmanRuntimes) {
      try {
        const user = await run('podman', [...this.#podmanRun(options, {}), image, 'id', '-u'])
        if (user.trim() !== imageUser) throw new Error(`ran as user ${user.trim()}`)
        this.#runner = options
        return
      } catch (error) {
        tried.push((error as Error).message.split('\n').at(-1) as string)
      }
    }
    console.log(`podman doesn't run containers here: ${tried.join('; ')}`)
  }

  /** Whether containers can have options. */
  get isPodman(): boolean {
    return this.#runner !== 'buildah'
  }

  /** Runs the command of the image on the network of this machine: with options of `podman run`, or as the user of the image. */
  async start(
    image: string,
    environment: Record<string, string>,
    options: readonly string[],
  ): Promise<Started> {
    if (this.#runner === 'buildah') return this.#startWithBuildah(image, environment)
    const name = `vedette-drill-${Date.now()}`
    const args = this.#podmanRun(this.#runner, environment)
    const global = [...this.#storage, ...this.#runner]
    return startProcess('podman', [...args, '--name', name, ...options, image], async () => {
      await run('podman', [...global, 'stop', '--time', '30', name]).catch(() => undefined)
    })
  }

  async #startWithBuildah(image: string, environment: Record<string, string>): Promise<Started> {
    const container = (await this.#buildah('from', '--pull-never', image)).trim()
    const variables = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    const { OCIv1 } = JSON.parse(await this.#buildah('inspect', container)) as {
      OCIv1: { config: { Cmd: string[] } }
    }
    const args = ['run', '--isolation', 'chroot', '--user', imageUser, ...variables, container, '--']
    return startProcess('buildah', [...this.#storage, ...args, ...OCIv1.config.Cmd], async () => undefined)
  }

  remove(): Promise<void> {
    return removeStore(this.#folder, this.#store)
  }

  #podmanRun(options: readonly string[], environment: Record<string, string>): string[] {
    const variables = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    return [
      ...[...this.#storage, ...options, 'run', '--rm', '--init', '--network', 'host', '--shm-size', '1g'],
      ...[...podmanLimits, ...variables],
    ]
  }

  #buildah(...args: string[]): Promise<string> {
    mkdirSync(this.#store, { recursive: true })
    return run('buildah', [...this.#storage, ...args])
  }
}

/** The Debian sources of this machine. */
function aptSources(): string[] {
  const path = '/etc/apt/sources.list.d/debian.sources'
  return existsSync(path) ? [path] : []
}
