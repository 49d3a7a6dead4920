// Identifies the calling agent by the key of a private location, an operator's key, or the key of the built-in agent.
// API keys aren't accepted here, and these keys aren't accepted by the API.
import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../core/clock.ts'
import { type AgentKey, findAgentKey } from '../../storage/accounts/agent-keys.ts'
import { hashKey } from '../../storage/accounts/api-keys.ts'
import type { Pool } from '../../storage/core/db.ts'

export type AgentCaller = AgentKey | { kind: 'built-in' }

const cachedForMs = 5_000
const maxCached = 10_000

/** A revoked key stays valid for at most five seconds. */
export class AgentKeyCache {
  readonly #known = new LRUCache<string, { caller: AgentCaller; until: number }>({ max: maxCached })
  /** Agents share a key, and many may ask for it at once. */
  readonly #readings = new Map<string, Promise<AgentCaller | null>>()
  readonly #pool: Pool
  readonly #clock: Clock
  readonly #builtInKeyHash: Buffer | undefined

  constructor(pool: Pool, clock: Clock, builtInKeyHash: Buffer | undefined) {
    this.#pool = pool
    this.#clock = clock
    this.#builtInKeyHash = builtInKeyHash
  }

  async find(rawKey: string | undefined): Promise<AgentCaller | null> {
    if (rawKey === undefined || rawKey.length > 200) return null
    const cached = this.#known.get(rawKey)
    if (cached !== undefined && cached.until > this.#clock.now()) return cached.caller
    const hash = hashKey(rawKey)
    if (this.#builtInKeyHash !== undefined && timingSafeEqual(hash, this.#builtInKeyHash))
      return { kind: 'built-in' }
    const reading = this.#readings.get(rawKey) ?? this.#read(rawKey, hash)
    this.#readings.set(rawKey, reading)
    return reading.finally(() => this.#readings.delete(rawKey))
  }

  async #read(rawKey: string, hash: Buffer): Promise<AgentCaller | null> {
    const caller = await findAgentKey(this.#pool, hash)
    this.#known.delete(rawKey)
    if (caller === null) return null
    this.#known.set(rawKey, { caller, until: this.#clock.now() + cachedForMs })
    return caller
  }
}
