import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStatusPage, getStatusPage } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../free-port.ts'
import { Scene } from '../scene.ts'
import { until } from '../until.ts'

/** Caddy with on-demand certificates of its own authority, in front of an installation. */
class Caddy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'vedette-caddy-'))
  readonly port: number
  readonly #child: ChildProcess
  #log = ''

  private constructor(port: number, upstream: string) {
    this.port = port
    const caddyfile = join(this.#folder, 'Caddyfile')
    writeFileSync(
      caddyfile,
      `{
	admin off
	auto_https disable_redirects
	skip_install_trust
	https_port ${port}
	on_demand_tls {
		ask http://${upstream}/tls/ask
	}
}
https:// {
	tls internal {
		on_demand
	}
	reverse_proxy ${upstream}
}
`,
    )
    const env = { ...process.env, XDG_DATA_HOME: this.#folder, XDG_CONFIG_HOME: this.#folder }
    this.#child = spawn('caddy', ['run', '--config', caddyfile, '--adapter', 'caddyfile'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child.on('error', (error) => {
      this.#log += error.message
    })
    this.#child.stderr?.on('data', (chunk) => {
      this.#log += chunk
    })
  }

  static async start(upstream: string): Promise<Caddy> {
    const caddy = new Caddy(await freePort(), upstream)
    await until('the certificate authority of caddy', () => existsSync(caddy.#rootFile)).catch((error) => {
      throw new Error(`${error.message}: ${caddy.#log}`)
    })
    return caddy
  }

  get #rootFile(): string {
    return join(this.#folder, 'caddy/pki/authorities/local/root.crt')
  }

  /** Rejects if caddy has no certificate for the host. */
  get(host: string, path: string): Promise<{ status: number; text: string }> {
    const options = {
      host: '127.0.0.1',
      port: this.port,
      path,
      servername: host,
      ca: readFileSync(this.#rootFile),
      headers: { host: `${host}:${this.port}` },
      agent: false,
    }
    return new Promise((resolve, reject) => {
      request(options, (response) => {
        response.setEncoding('utf8')
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
        .on('error', reject)
        .end()
    })
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve))
    if (this.#child.exitCode === null && this.#child.kill()) await ended
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

describe('a custom domain behind caddy', { timeout: 60_000 }, () => {
  const scene = new Scene()
  let caddy: Caddy
  let pageId: string

  beforeAll(async () => {
    await scene.open({ TRUST_PROXY: 'loopback' })
    caddy = await Caddy.start(`127.0.0.1:${scene.installation.port}`)
  }, 180_000)
  afterAll(async () => {
    await caddy?.stop()
    await scene.close()
  })

  it('has no certificate before a page has it', async () => {
    await expect(caddy.get('status.acme.test', '/')).rejects.toThrow(/alert|ECONNRESET|disconnected/)
  })

  it('shows the page over https as soon as it is saved', async () => {
    const { id } = await scene.account.call(createStatusPage, {
      body: { name: 'Acme Shop', url: 'shop', customDomain: 'status.acme.test', cards: [] },
    })
    pageId = id
    const page = await caddy.get('status.acme.test', '/')
    expect(page.status).toBe(200)
    expect(page.text).toContain('Acme Shop')
    const feed = await caddy.get('status.acme.test', '/feed.rss')
    expect(feed.text).toContain(`<link>https://status.acme.test:${caddy.port}</link>`)
    const { customDomainStatus } = await scene.account.call(getStatusPage, {
      params: { statusPageId: pageId },
    })
    expect(customDomainStatus?.status).toBe('served')
  })

  it('shows nothing but the page', async () => {
    for (const path of ['/v1/accounts/me', '/docs', '/healthz', '/tls/ask?domain=status.acme.test'])
      expect((await caddy.get('status.acme.test', path)).status, path).toBe(404)
  })

  it('leaves other domains without a certificate', async () => {
    await expect(caddy.get('other.acme.test', '/')).rejects.toThrow(/alert|ECONNRESET|disconnected/)
  })
})
