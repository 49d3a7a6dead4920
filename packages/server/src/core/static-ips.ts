import { readFileSync } from 'node:fs'
import { StaticIps } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import { ConfigError } from '../config.ts'

/** The addresses of STATIC_IPS_FILE; none if it isn't set. Throws one error that lists all mistakes. */
export function readStaticIps(path: string | undefined): StaticIps {
  if (path === undefined) return StaticIps.parse({})
  const parsed = StaticIps.safeParse(readJson(path))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => {
    const field = issue.path.length === 0 ? 'the file' : issue.path.join('.')
    return `  ${field}: ${issue.code === 'invalid_union' ? 'must be an address or a range' : issue.message}`
  })
  throw new ConfigError(`STATIC_IPS_FILE (${path}) is invalid:\n${problems.join('\n')}`)
}

function readJson(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ConfigError(`STATIC_IPS_FILE can't be read (${errorMessage(cause)})`, { cause })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ConfigError(`STATIC_IPS_FILE (${path}) isn't JSON (${errorMessage(cause)})`, { cause })
  }
}

/** The longest range that is listed as single addresses: 1024 of them. */
const shortestListedPrefix = 22

/** Clients that read IPv4 addresses by region expect addresses, not ranges; a larger range stays a range. */
export function addressesOf(address: string): string[] {
  const [base = '', prefix] = address.split('/')
  if (prefix === undefined) return [base]
  const length = Number(prefix)
  if (length < shortestListedPrefix) return [address]
  const size = 2 ** (32 - length)
  const first = Math.floor(numberOf(base) / size) * size
  return Array.from({ length: size }, (_, index) => dotted(first + index))
}

/** They expect IPv6 ranges: a single address is a range of one. */
export function prefixOf(address: string): string {
  return address.includes('/') ? address : `${address}/128`
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')
}
