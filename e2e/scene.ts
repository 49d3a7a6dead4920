// One installation for many stories: its owner's account, and a certificate authority that its agents trust.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Account } from './account.ts'
import { Installation, type Running } from './installation.ts'
import { Authority } from './target/certificates.ts'

/** Denied for the agents of every scene. */
export const deniedAddress = '127.66.0.1'

/** Half a day away from any slot, so that such a check runs only on demand. */
export const onDemandOnly = {
  frequency: 1440,
  frequencyOffset: (new Date().getUTCHours() + 12) % 24 || 24,
} as const

export class Scene {
  readonly authority = new Authority('The authority of this story')
  readonly #folder = mkdtempSync(join(tmpdir(), 'vedette-scene-'))
  #installation: Installation | null = null
  #running: Running | null = null
  #account: Account | null = null

  /** The environment of the agents of this scene. */
  get agentSettings(): Record<string, string> {
    return {
      AGENT_HEALTH_PORT: '0',
      AGENT_DENY_NETWORKS: `${deniedAddress}/32`,
      NODE_EXTRA_CA_CERTS: join(this.#folder, 'authority.pem'),
    }
  }

  get account(): Account {
    return this.#account as Account
  }

  get installation(): Installation {
    return this.#installation as Installation
  }

  get running(): Running {
    return this.#running as Running
  }

  async open(environment: Record<string, string> = {}): Promise<void> {
    // Includes the authorities that this machine trusts: a package registry may need one of them.
    const own = process.env.NODE_EXTRA_CA_CERTS
    const trusted = [this.authority.cert, ...(own ? [readFileSync(own, 'utf8')] : [])]
    writeFileSync(join(this.#folder, 'authority.pem'), trusted.join('\n'))
    this.#installation = await Installation.create()
    this.#running = await this.#installation.start({
      ...this.agentSettings,
      LOG_LEVEL: 'debug',
      RATE_LIMIT_PER_MINUTE: '1000000',
      RATE_LIMIT_PUBLIC_PER_MINUTE: '1000000',
      RATE_LIMIT_FACTOR: '1000',
      ...environment,
    })
    this.#account = new Account(this.#installation, this.#running)
  }

  async close(): Promise<void> {
    await this.#installation?.remove()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
