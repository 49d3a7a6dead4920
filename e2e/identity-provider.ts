// An OpenID Connect provider on this machine, with a page where people sign in.
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface Person {
  sub: string
  email: string
  email_verified: boolean
  name: string
  groups: string[]
}

const client = { client_id: 'vedette', client_secret: 'a secret of the client' }
const scopes = 'openid email profile groups'

export class IdentityProvider {
  readonly issuer: string
  readonly people: Person[] = []
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /** Listens; `serve` follows when the address of the client is known. */
  static async open(): Promise<IdentityProvider> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new IdentityProvider(server)
  }

  /** The settings of an installation that uses it. */
  get settings(): Record<string, string> {
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: client.client_id,
      OIDC_CLIENT_SECRET: client.client_secret,
      OIDC_SCOPES: scopes,
    }
  }

  serve(redirectUri: string): void {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const provider = new Provider(this.issuer, {
      clients: [{ ...client, redirect_uris: [redirectUri] }],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'story' }] },
      cookies: { keys: ['a key for stories'] },
      scopes: scopes.split(' '),
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['name'],
        groups: ['groups'],
      },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      ttl: { Session: 600, Grant: 600, Interaction: 600, AccessToken: 600, IdToken: 600 },
      findAccount: (_ctx, sub) => ({
        accountId: sub,
        claims: async () => ({ ...this.people.find((person) => person.sub === sub), sub }),
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
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const url = new URL(request.url ?? '', this.issuer)
      if (!url.pathname.startsWith('/interaction/')) return void handle(request, response)
      const sub = url.searchParams.get('sub')
      if (sub === null) return void this.#ask(response, url.pathname)
      const result = sub === '' ? { error: 'access_denied' } : { login: { accountId: sub } }
      void provider.interactionFinished(request, response, result)
    })
  }

  #ask(response: ServerResponse, path: string): void {
    const links = [
      ...this.people.map(({ sub, email }) => `<a href="${path}?sub=${sub}">Continue as ${email}</a>`),
      `<a href="${path}?sub=">Cancel</a>`,
    ]
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><title>Corp</title><h1>Sign in to Corp</h1>${links.join('<br>')}`)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
