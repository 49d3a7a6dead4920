import { readFileSync } from 'node:fs'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Config } from '../config.ts'
import { type Resealed, resealStore } from '../storage/backup/reseal.ts'
import type { Store } from '../storage/core/db.ts'
import {
  findFingerprint,
  generateSecretKey,
  openSecretKey,
  promoteSecretKey,
  readSecretKeyFile,
  secretKeyPath,
  shortestSecretKey,
  stageSecretKey,
} from '../storage/core/secret-key.ts'
import { openVault } from '../storage/core/vault.ts'
import { type Command, type Input, OperatorError, type Output } from './command.ts'
import { withStore } from './connect.ts'

export const secretKeyCommands: Record<string, Command> = {
  'secret-key show-fingerprint': {
    usage: 'secret-key show-fingerprint',
    summary: 'shows the fingerprint of the key that seals the secrets, and whether it is the configured one',
    run: showFingerprint,
  },
  'secret-key rotate': {
    usage: 'secret-key rotate [--new-key-file FILE] [--leave-unreadable]',
    summary: 'seals all secrets with a new key; stop the server first',
    options: { 'new-key-file': { type: 'string' }, 'leave-unreadable': { type: 'boolean' } },
    run: rotate,
  },
}

async function showFingerprint({ config }: Input): Promise<Output> {
  const fingerprint = await withStore(config, { schema: 'known' }, ({ db }) => findFingerprint(db))
  const key = config.SECRET_KEY ?? readSecretKeyFile(config.DATA_DIR)
  const isRight = key !== null && openVault(key).fingerprint === fingerprint
  const source = config.SECRET_KEY === undefined ? secretKeyPath(config.DATA_DIR) : 'SECRET_KEY'
  const comparison =
    key === null
      ? `There is no key in ${source}.`
      : `The key in ${source} ${isRight ? 'is' : 'is not'} that key.`
  return {
    json: { fingerprint, place: key === null ? null : source, isRight },
    text: fingerprint === null ? 'No secret key is in use yet.' : `${fingerprint}\n${comparison}`,
  }
}

async function rotate(input: Input): Promise<Output> {
  const { config } = input
  const newKey = chooseNewKey(config, input.text('new-key-file'))
  const outcome = await withStore(config, { access: 'exclusive', schema: 'known' }, (store) =>
    reseal(store, config, newKey, input.flag('leave-unreadable')),
  )
  const { fingerprint } = openVault(newKey)
  const lines = [`Secrets sealed with the new key: ${outcome.values}. Its fingerprint is ${fingerprint}.`]
  if (outcome.unreadable.length > 0) lines.push(`Unchanged: ${outcome.unreadable.join(', ')}.`)
  if (config.SECRET_KEY === undefined) lines.push(`The key is in ${secretKeyPath(config.DATA_DIR)}.`)
  else {
    lines.push(
      `Now set SECRET_KEY to the content of ${input.text('new-key-file')}, or SECRET_KEY_FILE to its path: the old key no longer works.`,
    )
  }
  return {
    json: { fingerprint, values: outcome.values, unreadable: outcome.unreadable },
    text: lines.join('\n'),
  }
}

function chooseNewKey(config: Config, file: string | undefined): string {
  if (file === undefined) {
    if (config.SECRET_KEY === undefined) return generateSecretKey()
    throw new OperatorError(
      'SECRET_KEY comes from the environment: give the new key in a file, --new-key-file FILE.',
    )
  }
  let key: string
  try {
    key = readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw new OperatorError(`${file} can't be read: ${errorMessage(cause)}`, { cause })
  }
  if (key.length >= shortestSecretKey) return key
  throw new OperatorError(
    `The key in ${file} is too short: it must have at least ${shortestSecretKey} characters.`,
  )
}

async function reseal(store: Store, config: Config, newKey: string, mayLeave: boolean): Promise<Resealed> {
  const old = await openSecretKey({ store, dataDir: config.DATA_DIR, fromEnvironment: config.SECRET_KEY })
  const keys = { old, new: openVault(newKey) }
  if (keys.new.fingerprint === old.fingerprint) throw new OperatorError('The new key is the one in use.')
  const isFile = config.SECRET_KEY === undefined
  // In this order, a crash at any point leaves the right key in one of the two files, and the next start finds it.
  if (isFile) stageSecretKey(config.DATA_DIR, newKey)
  const outcome = await resealStore(store.db, keys, ({ unreadable }) => {
    if (unreadable.length === 0 || mayLeave) return
    throw new OperatorError(
      `Nothing was changed: the current key doesn't open ${unreadable.slice(0, 5).join(', ')}. ` +
        'With --leave-unreadable such values stay unchanged.',
    )
  })
  if (isFile) promoteSecretKey(config.DATA_DIR)
  return outcome
}
