import { spawn } from 'node:child_process'
import type { Identity } from './identity.ts'
import { ENVIRONMENT, SUPERUSER } from './settings.ts'

type Initdb = {
  program: string
  /** The value of -D; `cwd` is the same directory. */
  where: string
  cwd: string
  passwordFile: string
  identity: Identity | null
  dataDir: string
}

export async function runInitdb({
  program,
  where,
  cwd,
  passwordFile,
  identity,
  dataDir,
}: Initdb): Promise<void> {
  const options = [
    `--pgdata=${where}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The built-in provider sorts alike everywhere; the order of a C library or ICU changes with its version, under the indexes.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--data-checksums',
    '--no-instructions',
  ]
  const child = spawn(program, options, {
    cwd,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(identity ?? {}),
  })
  let said = ''
  const listen = (chunk: Buffer) => {
    said += chunk
  }
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  const ended = await new Promise<string>((resolve, reject) => {
    child.once('error', (cause) => reject(new Error(`${program} cannot be run: ${cause.message}`, { cause })))
    child.once('close', (code, signal) => resolve(signal ?? String(code)))
  })
  if (ended !== '0') throw new Error(explain(said, ended, dataDir))
}

function explain(said: string, ended: string, dataDir: string): string {
  if (/No space left on device|Disk quota exceeded/.test(said))
    return `The disk that holds ${dataDir} is full: PostgreSQL needs about 60 MB there to begin with. Free some space and start again.`
  if (/could not look up effective user ID/.test(said))
    return (
      `PostgreSQL cannot be initialised in ${dataDir}: user id ${process.geteuid?.()} has no entry in /etc/passwd. ` +
      'Add one, start as a user who has one, or set DATABASE_URL.'
    )
  const last = said.trim().split('\n').slice(-8).join('\n')
  return `PostgreSQL could not be initialised in ${dataDir} (initdb ended with ${ended}):\n${last}`
}
