// An OpenID Connect provider on this machine, and the people it knows. Whoever opens it is signed in as `person`.
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface Person {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
  groups?: string[]
}

const client = { client_id: 'vedette', client_secret: 'a secret of the client' }
const scopes = 'openid email profile groups'

export class IdentityProvider {
  readonly issuer: string
  /** Who signs in; null: the person cancels. */
  person: Person | null = null
  /** The query of the last request to authorize. */
  asked = new URLSearchParams()
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async open(redirectUri: string): Promise<IdentityProvider> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const own = new IdentityProvider(server)
    own.#serve(redirectUri)
    return own
  }

  /** The settings of a server that uses it. */
  get settings(): Record<string, string> {
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: client.client_id,
      OIDC_CLIENT_SECRET: client.client_secret,
      OIDC_SCOPES: scopes,
    }
  }

  #serve(redirectUri: string): void {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const provider = new Provider(this.issuer, {
      clients: [{ ...client, redirect_uris: [redirectUri] }],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'test' }] },
      cookies: { keys: ['a key for tests'] },
      scopes: scopes.split(' '),
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['name'],
        groups: ['groups'],
      },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      ttl: { Session: 60, Grant: 60, Interaction: 60, AccessToken: 60, IdToken: 60 },
      findAccount: (_ctx, sub) => ({
        accountId: sub,
        claims: async () => ({ ...this.person, sub }),
      }),
      // Nobody is asked whether the client may see the claims.
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: oidc.session?.accountId ?? '',
        })
        grant.addOIDCScope(scopes)
        await grant.save()
        return grant
      },
    })
    const handle = provider.callback()
    this.#server.on('request', async (request, response) => {
      const url = new URL(request.url ?? '', this.issuer)
      if (url.pathname === '/auth') this.asked = url.searchParams
      if (!url.pathname.startsWith('/interaction/')) return void handle(request, response)
      const result =
        this.person === null ? { error: 'access_denied' } : { login: { accountId: this.person.sub } }
      await provider.interactionFinished(request, response, result)
    })
  }

  /** What a browser does with the address: returns the query of the redirect to the app. */
  async visit(address: string): Promise<string> {
    const cookies = new Map<string, string>()
    let url = new URL(address)
    while (url.origin === this.issuer) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(url, { headers: { cookie }, redirect: 'manual' })
      for (const set of response.headers.getSetCookie()) {
        const [pair = ''] = set.split(';')
        const at = pair.indexOf('=')
        cookies.set(pair.slice(0, at), pair.slice(at + 1))
      }
      const location = response.headers.get('location')
      if (location === null) throw new Error(`The provider responded with ${response.status}: ${url}`)
      url = new URL(location, url)
    }
    return url.search.slice(1)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
