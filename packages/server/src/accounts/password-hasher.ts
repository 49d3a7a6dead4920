// Hashes passwords with Argon2id. A hash takes 19 MB and some 20 ms of a core, so few are computed at a time.
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ApiError } from '@vedette/contracts'
import { openSemaphore } from '../core/semaphore.ts'

/** `memory` in KiB. The first choice of the OWASP password storage cheat sheet. */
const currentCost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32

const concurrency = 2
const longestQueue = 50
const longestWaitMs = 5_000

export interface PasswordHasher {
  hash(password: string): Promise<string>
  /** Takes as long without a stored hash, so that nobody can find out who has an account here. */
  verify(password: string, stored: string | null): Promise<boolean>
  /** Whether new hashes have other parameters. */
  isOutdated(stored: string): boolean
}

type Derive = (parameters: Argon2Parameters) => Promise<Buffer>
type Shape = Omit<Argon2Parameters, 'message'>

const deriveKey = promisify(argon2)

export function openPasswordHasher(
  derive: Derive = (parameters) => deriveKey('argon2id', parameters),
): PasswordHasher {
  const semaphore = openSemaphore(concurrency, longestWaitMs)
  let inFlight = 0

  async function compute(password: string, shape: Shape): Promise<Buffer> {
    if (inFlight >= concurrency + longestQueue) throw busy()
    inFlight += 1
    try {
      const release = await semaphore.acquire()
      if (release === null) throw busy()
      // Keyboards differ in how they compose accented letters.
      return await derive({ ...shape, message: password.normalize('NFC') }).finally(release)
    } finally {
      inFlight -= 1
    }
  }

  return {
    async hash(password) {
      const salt = randomBytes(saltBytes)
      const tag = await compute(password, { ...currentCost, nonce: salt, tagLength: tagBytes })
      return `${prefixOf(currentCost)}${encode(salt)}$${encode(tag)}`
    },
    async verify(password, stored) {
      const { tag, ...shape } = read(stored ?? decoy)
      return timingSafeEqual(await compute(password, shape), tag) && stored !== null
    },
    isOutdated: (stored) => !stored.startsWith(prefixOf(currentCost)),
  }
}

function busy(): ApiError {
  return new ApiError('unavailable', {
    message: 'Too many people are signing in at this moment. Try again in a few seconds.',
    headers: { 'retry-after': '2' },
  })
}

// A PHC string: $argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>, in base64 without padding.

function prefixOf({ memory, passes, parallelism }: typeof currentCost): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

const decoy = `${prefixOf(currentCost)}${encode(randomBytes(saltBytes))}$${encode(randomBytes(tagBytes))}`

function read(stored: string): Shape & { tag: Buffer } {
  const [, memory, passes, parallelism, salt = '', encodedTag = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(stored) ?? []
  const tag = Buffer.from(encodedTag, 'base64')
  if (tag.length === 0) throw new Error('A stored password hash has another format')
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: tag.length,
    tag,
  }
}
