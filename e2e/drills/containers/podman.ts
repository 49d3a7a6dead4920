// Containers of Podman on the system of this machine: its /usr and this checkout, mounted read-only. No image is needed.
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { thisCheckout } from '../fleet.ts'
import { podmanLimits, podmanRuntimes } from '../images/engine.ts'
import { removeStore, run, type Started, startProcess } from '../images/tools.ts'

/** Where the checkout is in a container, as in the images. */
const inside = '/opt/vedette'
/** As in the images: only their user can traverse it. */
const dataFolder = 'var/lib/vedette'

export interface Container {
  /** Options of `podman run`. */
  options: readonly string[]
  environment?: Record<string, string>
  /** A program of the checkout. */
  program: string
}

export class Podman {
  readonly #folder = mkdtempSync(join(tmpdir(), 'vedette-containers-'))
  readonly #root = join(this.#folder, 'root')
  readonly #store = join(this.#folder, 'store')
  #runtime: readonly string[] = []

  /** Rejects if Podman doesn't run containers here. */
  static async open(): Promise<Podman> {
    const podman = new Podman()
    podman.#layOutRoot()
    const tried: string[] = []
    for (const runtime of podmanRuntimes) {
      podman.#runtime = runtime
      try {
        await run('podman', [...podman.#runOptions([]), '--rootfs', podman.#root, '/bin/true'])
        return podman
      } catch (error) {
        tried.push((error as Error).message.split('\n').at(-1) as string)
      }
    }
    await podman.close()
    throw new Error(`podman doesn't run containers here: ${tried.join('; ')}`)
  }

  /** Resolves to its output. */
  output(container: Container): Promise<string> {
    return run('podman', this.#command(container))
  }

  /** A file outside of containers. */
  write(name: string, text: string): string {
    const path = join(this.#folder, name)
    writeFileSync(path, text)
    return path
  }

  start(container: Container): Started {
    const name = `vedette-drill-${Date.now()}`
    const args = this.#command({ ...container, options: ['--name', name, '--init', ...container.options] })
    return startProcess('podman', args, async () => {
      await run('podman', [...this.#global(), 'stop', '--time', '30', name]).catch(() => undefined)
    })
  }

  close(): Promise<void> {
    return removeStore(this.#folder, this.#store)
  }

  #layOutRoot(): void {
    const folders = ['dev', 'etc', 'mnt', 'opt', 'proc', 'run', 'sys', 'tmp', 'usr', 'var/lib']
    for (const folder of folders) mkdirSync(join(this.#root, folder), { recursive: true, mode: 0o755 })
    // Root of a user namespace is another user.
    chmodSync(this.#folder, 0o755)
    chmodSync(join(this.#root, 'tmp'), 0o1777)
    mkdirSync(join(this.#root, dataFolder), { mode: 0o700 })
    chownSync(join(this.#root, dataFolder), 10_001, 10_001)
    for (const link of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${link}`, join(this.#root, link))
    const users = 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n'
    const etc = {
      passwd: users,
      group: 'root:x:0:\n',
      subuid: 'root:0:61200\n',
      subgid: 'root:0:61200\n',
    }
    for (const [name, text] of Object.entries(etc)) writeFileSync(join(this.#root, 'etc', name), text)
  }

  #global(): string[] {
    const stores = ['--root', this.#store, '--runroot', join(this.#folder, 'run')]
    return [...stores, ...this.#runtime]
  }

  #runOptions(options: readonly string[]): string[] {
    const shared = ['/usr', '/etc/ssl', '/etc/fonts', '/etc/alternatives'].filter((path) => existsSync(path))
    const mounts = [...shared.map((path) => `${path}:${path}:ro`), `${thisCheckout.root}:${inside}:ro`]
    return [
      ...[
        ...this.#global(),
        'run',
        '--rm',
        '--network',
        'host',
        '--tmpfs',
        '/tmp:mode=1777',
        ...podmanLimits,
      ],
      ...mounts.flatMap((mount) => ['--volume', mount]),
      ...['--shm-size', '1g', '--workdir', inside, ...options],
    ]
  }

  #command({ options, environment = {}, program }: Container): string[] {
    const variables = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`])
    const node = join(inside, relative(thisCheckout.root, thisCheckout.node))
    return [...this.#runOptions([...options, ...variables]), '--rootfs', this.#root, node, program]
  }
}
