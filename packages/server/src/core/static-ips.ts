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
