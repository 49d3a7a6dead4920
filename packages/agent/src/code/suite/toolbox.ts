// The programs of one suite as commands in a directory of the cell: Node, npm, its package manager and its engine.
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, posix } from 'node:path'
import { z } from 'zod'
import type { Cell, CellMount } from '../../sandbox/cell.ts'
import { copiedMount, mountPath } from './cell-paths.ts'
import type { PackageManager } from './package-manager.ts'
import { SuiteError } from './suite-error.ts'
import type { ToolStore } from './tool-store.ts'

export interface Engine {
  name: 'node' | 'bun'
  /** A major version of Node, or a version of bun. */
  version: string
}

export type Toolbox = Awaited<ReturnType<typeof openToolbox>>

/** wire: 22, 24 and 26. */
const nodeMajors = ['22', '24', '26']
const defaultNode = '24'
const npmForOthers = '11'

export function engineOf(check: { engine?: string | null; engineVersion?: string | null }): Engine {
  const version = check.engineVersion?.trim().replace(/^v/, '') ?? ''
  if (check.engine === 'bun') return { name: 'bun', version: version || '1' }
  const major = version.split('.')[0] || defaultNode
  if (!nodeMajors.includes(major))
    throw new SuiteError(
      `The engineVersion ${version} isn't supported. Use one of the Node versions ${nodeMajors.join(', ')}.`,
    )
  return { name: 'node', version: major }
}

export async function openToolbox(
  store: ToolStore,
  engine: Engine,
  manager: PackageManager,
  signal: AbortSignal,
) {
  const mounts: CellMount[] = []
  /** As shell scripts. */
  const commands = new Map<string, (cell: Cell) => string>()
  /** Returns where paths of the directory are in a cell. */
  const mountAs = (name: string, from: string) => {
    const mount = copiedMount(from, `tools/${name}`)
    mounts.push(mount)
    return (cell: Cell, path: string) => posix.join(mountPath(cell, mount), path)
  }
  // Playwright's own programs need Node, also with another engine.
  const node = await findNode(store, engine.name === 'node' ? engine.version : defaultNode, signal)
  const inNode = mountAs('node', node.folder)
  const addScripts = async (packageName: string, version: string, name: string) => {
    const folder = await store.ensure(packageName, version, signal)
    const inside = mountAs(name, folder)
    for (const [command, path] of await scriptsOf(folder))
      commands.set(command, (cell) => `exec '${inNode(cell, node.program)}' '${inside(cell, path)}' "$@"`)
  }
  await addScripts('npm', manager.name === 'npm' ? manager.version : npmForOthers, 'npm')
  if (manager.name === 'pnpm' || manager.name === 'yarn')
    await addScripts(manager.packageName, manager.version, manager.name)
  if (manager.name === 'bun' || engine.name === 'bun') {
    const version = engine.name === 'bun' ? engine.version : manager.version
    const inside = mountAs('bun', await store.ensure(bunPackage(), version, signal))
    const run = (cell: Cell, args: string) =>
      `${bunProxy(cell)}\nexec '${inside(cell, 'bin/bun')}' ${args} "$@"`
    commands.set('bun', (cell) => run(cell, ''))
    commands.set('bunx', (cell) => run(cell, 'x'))
  }
  return {
    mounts,
    /** Writes the commands into a new directory of the cell. */
    async writeCommands(cell: Cell, binFolder: string) {
      await mkdir(binFolder, { recursive: true })
      // A link: Node resolves its own real path, and scripts name it in their first line.
      await symlink(inNode(cell, node.program), join(binFolder, 'node'))
      for (const [name, scriptIn] of commands) {
        const file = join(binFolder, name)
        await writeFile(file, `#!/bin/sh\n${scriptIn(cell)}\n`)
        await chmod(file, 0o755)
      }
    },
  }
}

/** Bun doesn't load our preload, and doesn't support SOCKS. */
function bunProxy({ environment }: Cell): string {
  const proxy = /^socks5h?:\/\/([\d.]+:\d+)$/.exec(environment.ALL_PROXY ?? '')?.[1]
  return proxy
    ? `export HTTP_PROXY=http://${proxy} HTTPS_PROXY=http://${proxy} NO_PROXY=localhost,127.0.0.1`
    : ''
}

const Manifest = z.looseObject({ bin: z.record(z.string().regex(/^\w+$/), z.string().regex(/^[\w./-]+$/)) })

async function scriptsOf(folder: string): Promise<[string, string][]> {
  const manifest = Manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
  return Object.entries(manifest.bin).map(([name, path]) => [name, posix.normalize(path)])
}

async function findNode(store: ToolStore, major: string, signal: AbortSignal) {
  if (process.versions.node.split('.')[0] === major)
    return { folder: dirname(process.execPath), program: basename(process.execPath) }
  const folder = await store.ensure(`node-${process.platform}-${process.arch}`, major, signal)
  return { folder, program: 'bin/node' }
}

function bunPackage(): string {
  return `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`
}
