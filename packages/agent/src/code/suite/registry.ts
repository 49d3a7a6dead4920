// The operator's npm registry, for installs in cells: its address, its certificate authority, and the way to it. Never
// its credentials: install scripts of strangers could read them.
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { type NetworkPolicy, networkPolicy } from '@vedette/safeguards/address-policy'
import { isFailure } from '../../net/failure.ts'
import { type Lookup, resolveHost } from '../../net/resolve.ts'
import { runNpm } from '../../runtimes/run-npm.ts'

export interface Registry {
  /** Null: npm's own. */
  url: string | null
  /** PEM; null: the usual authorities. */
  authorities: string | null
}

const timeoutMs = 20_000

/** What npm on this machine says, with what its Node trusts besides. */
export async function readRegistry(environment: Readonly<Record<string, string>>): Promise<Registry> {
  const ask = async (key: string) => {
    const text = (
      await runNpm({ folder: tmpdir(), args: ['config', 'get', key], environment, timeoutMs })
    ).trim()
    return text === '' || text === 'null' || text === 'undefined' ? null : text
  }
  const url = await ask('registry')
  const isUsable = url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  const files = [await ask('cafile'), environment.NODE_EXTRA_CA_CERTS].filter(
    (file) => typeof file === 'string',
  )
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  return { url: isUsable ? withoutCredentials(url) : null, authorities: texts.join('\n').trim() || null }
}

function withoutCredentials(text: string): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  return url.href
}

const authoritiesFile = 'registry-authorities.pem'

/** Settings as files of a home folder: a suite's own .npmrc goes before them, as it would on a developer's machine. */
export function registryFiles({ url, authorities }: Registry): { name: string; text: string }[] {
  const files = authorities === null ? [] : [{ name: authoritiesFile, text: `${authorities}\n` }]
  if (url === null) return files
  const isOpen = url.startsWith('http:')
  const { hostname } = new URL(url)
  const berry = [
    `npmRegistryServer: ${JSON.stringify(url.replace(/\/$/, ''))}`,
    ...(isOpen ? [`unsafeHttpWhitelist: [${JSON.stringify(hostname)}]`] : []),
  ]
  return [
    ...files,
    { name: '.npmrc', text: `registry=${url}\n` },
    { name: '.yarnrc', text: `registry ${JSON.stringify(url)}\n` },
    { name: '.yarnrc.yml', text: `${berry.join('\n')}\n` },
    { name: '.bunfig.toml', text: `[install]\nregistry = ${JSON.stringify(url)}\n` },
  ]
}

/** For installs alone: every start of Node would pay for it. */
export function registryEnvironment({ authorities }: Registry, home: string): Record<string, string> {
  return authorities === null ? {} : { NODE_EXTRA_CA_CERTS: `${home}/${authoritiesFile}` }
}

const metadataNever = networkPolicy({ mode: 'default' })

/** Installs may reach the registry too, where the agent refuses its network otherwise; not what else is on its machine. */
export async function installPolicy(
  policy: NetworkPolicy,
  registry: Registry,
  signal: AbortSignal,
  lookup?: Lookup,
): Promise<NetworkPolicy> {
  if (registry.url === null) return policy
  const { hostname, port, protocol } = new URL(registry.url)
  const registryPort = Number(port) || (protocol === 'https:' ? 443 : 80)
  const found = await Promise.all(
    (['IPv4', 'IPv6'] as const).map((family) => resolveHost(hostname, family, signal, lookup)),
  )
  const opened = new Set(found.flatMap((addresses) => (isFailure(addresses) ? [] : addresses)))
  return {
    refusalOf(address, asked) {
      const isThere = opened.has(address) && (asked ?? registryPort) === registryPort
      const isRegistry = isThere && metadataNever.refusalOf(address) === null
      return isRegistry ? null : policy.refusalOf(address, asked)
    },
  }
}
