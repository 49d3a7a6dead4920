// Renders the Helm chart with the libraries that Helm uses, from Debian's packages: helm itself isn't needed.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse, stringify } from 'yaml'

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
export const chartFolder = pathOf('../../../deploy/chart')
const folder = pathOf('.')

// biome-ignore lint/suspicious/noExplicitAny: each kind of object has its own shape
export type KubernetesObject = Record<string, any>

export interface Renderer {
  /** The objects, and the text that an installation prints. */
  render(valuesFile: string, kubernetes?: string): Promise<{ objects: KubernetesObject[]; notes: string }>
  /** Renders one of the value files, some of its values replaced, and returns the error. */
  refuse(valuesFile: string, changes: string, kubernetes?: string): Promise<string>
  remove(): void
}

export async function buildRenderer(): Promise<Renderer> {
  const home = mkdtempSync(join(tmpdir(), 'vedette-chart-'))
  const program = join(home, 'render')
  await promisify(execFile)('/usr/bin/go', ['build', '-o', program, join(folder, 'render.go')], {
    env: {
      ...process.env,
      // The libraries are those of Debian's packages, without modules and without downloads.
      GO111MODULE: 'off',
      GOPATH: '/usr/share/gocode',
      GOFLAGS: '',
      GOCACHE: join(home, 'cache'),
    },
  })
  const run = async (valuesFile: string, kubernetes: string) => {
    const { stdout } = await promisify(execFile)(program, [chartFolder, kubernetes, valuesFile], {
      maxBuffer: 1 << 26,
    })
    return JSON.parse(stdout)
  }
  return {
    async render(valuesFile, kubernetes = 'v1.33.0') {
      const all: KubernetesObject[] = await run(join(folder, 'values', valuesFile), kubernetes)
      return {
        objects: all.filter((object) => object.notes === undefined),
        notes: all.find((object) => object.notes !== undefined)?.notes,
      }
    },
    async refuse(valuesFile, changes, kubernetes = 'v1.33.0') {
      const changed = join(home, 'changed.yaml')
      const values = parse(readFileSync(join(folder, 'values', valuesFile), 'utf8'))
      writeFileSync(changed, stringify({ ...values, ...parse(changes) }))
      return run(changed, kubernetes).then(
        () => 'it was rendered',
        (error: { stderr?: string }) => error.stderr ?? String(error),
      )
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** The pods that a list of objects describes. */
export function podsOf(objects: readonly KubernetesObject[]): KubernetesObject[] {
  return objects.flatMap((object) => object.spec?.template ?? [])
}

export function containersOf(pod: KubernetesObject): KubernetesObject[] {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
}

/** The environment of a container, with values for what comes from Secrets. */
export function environmentOf(
  container: KubernetesObject,
  secrets: Record<string, string>,
): Record<string, string> {
  const variables: { name: string; value?: string }[] = container.env ?? []
  return Object.fromEntries(variables.map(({ name, value }) => [name, value ?? secrets[name] ?? '']))
}
