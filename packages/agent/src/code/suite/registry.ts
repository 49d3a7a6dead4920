// The operator's npm registry for installs in cells: URL, certificate authorities and network access. Never its credentials:
// untrusted install scripts could read them.
import { readFile } from 'node:fs/promises'
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

/** From the npm settings of this machine and NODE_EXTRA_CA_CERTS. */
export async function readRegistry(environment: Readonly<Record<string, string>>): Promise<Registry> {
  const readSetting = async (key: string) => {
    const args = ['config', 'get', key]
    const text = (await runNpm({ folder: '/', args, environment, timeoutMs })).trim()
    return text === '' || text === 'null' || text === 'undefined' ? null : text
  }
  const url = await readSetting('registry')
  const isUsable = url !== null && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  const files = [await readSetting('cafile'), environment.NODE_EXTRA_CA_CERTS].filter(
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

/** Settings as files of a home directory, so that a suite's own .npmrc takes precedence. */
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

/** For installs only: it slows down every start of Node. */
export function registryEnvironment({ authorities }: Registry, home: string): Record<string, string> {
  return authorities === null ? {} : { NODE_EXTRA_CA_CERTS: `${home}/${authoritiesFile}` }
}

const metadataNever = networkPolicy({ mode: 'default' })

/** Installs may also connect to the registry, and to nothing else on its machine, if the agent refuses its network. */
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
    refusalOf(address, port) {
      const isEndpoint = opened.has(address) && (port ?? registryPort) === registryPort
      const isRegistry = isEndpoint && metadataNever.refusalOf(address) === null
      return isRegistry ? null : policy.refusalOf(address, port)
    },
  }
}
