// The operator's identity provider, spoken to by OpenID Connect. Its requests use the guarded HTTP client of channels: no redirects, no
// link-local addresses. Internal networks are allowed, because only the operator configures the provider.
import { ApiError } from '@vedette/contracts'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import * as oidc from 'openid-client'
import { openHttp } from '../../alerting/channels/transport/http.ts'
import type { Config } from '../../config.ts'
import type { Log } from '../../core/log.ts'
import { publicUrl } from '../../core/public-url.ts'

/** What only the server and one browser know about a sign-in that is under way. */
export interface Flow {
  state: string
  nonce: string
  verifier: string
}

export type Claims = Readonly<Record<string, unknown>>

export interface OidcProvider {
  issuer: string
  label: string
  newFlow(): Flow
  /** The address at the provider that the browser opens. */
  addressOf(flow: Flow, options: { isNewSignIn: boolean }): Promise<string>
  /** The claims of the person, from the query that the provider redirected with. Throws an ApiError otherwise. */
  redeem(query: string, flow: Flow): Promise<Claims & { sub: string }>
  close(): void
}

type Settings = Pick<
  Config,
  | 'OIDC_ISSUER'
  | 'OIDC_CLIENT_ID'
  | 'OIDC_CLIENT_SECRET'
  | 'OIDC_LABEL'
  | 'OIDC_SCOPES'
  | 'PUBLIC_URL'
  | 'PORT'
>

const maxBodyBytes = 1024 * 1024

/** Undefined: the operator has set none. Its address is read at the first sign-in, so the server starts without it. */
export function openOidcProvider(config: Settings, log: Log): OidcProvider | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: secret } = config
  if (issuer === undefined || clientId === undefined || secret === undefined) return undefined
  const http = openHttp({ rules: { mode: 'default' }, maxBodyBytes })
  const redirectUri = `${publicUrl(config)}/login/sso`
  let discovered: Promise<oidc.Configuration> | null = null

  const send: oidc.CustomFetch = async (url, { method, headers, body, signal }) => {
    const response = await http.send(
      { method, url, headers, body: body === undefined || body === null ? null : String(body) },
      signal,
    )
    const hasBody = response.status !== 204 && response.status !== 304
    return new Response(hasBody ? response.body : null, {
      status: response.status,
      headers: response.headers,
    })
  }

  function discover(): Promise<oidc.Configuration> {
    discovered ??= oidc
      .discovery(new URL(issuer ?? ''), clientId ?? '', undefined, oidc.ClientSecretBasic(secret ?? ''), {
        [oidc.customFetch]: send,
        // The settings allow http only on this machine.
        execute: issuer?.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
      })
      .catch((error: unknown) => {
        discovered = null
        throw error
      })
    return discovered
  }

  /** Its messages may contain what the provider sent, so people don't see them. */
  function failure(error: unknown): ApiError {
    const { cause } = error instanceof Error ? error : {}
    const why = [errorMessage(error), cause instanceof Error ? cause.message : undefined]
    log.warn({ code: errorCode(error), why: why.filter(Boolean).join(': ') }, 'single-sign-on.failed')
    return new ApiError('provider_failed')
  }

  return {
    issuer,
    label: config.OIDC_LABEL,
    newFlow: () => ({
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    }),
    async addressOf({ state, nonce, verifier }, { isNewSignIn }) {
      try {
        const url = oidc.buildAuthorizationUrl(await discover(), {
          ...{ redirect_uri: redirectUri, scope: config.OIDC_SCOPES, state, nonce },
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(isNewSignIn ? { prompt: 'login' } : {}),
        })
        return url.href
      } catch (error) {
        throw failure(error)
      }
    },
    async redeem(query, { state, nonce, verifier }) {
      try {
        const provider = await discover()
        const tokens = await oidc.authorizationCodeGrant(provider, new URL(`${redirectUri}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (claims === undefined) throw new Error('The provider sent no ID token')
        if (provider.serverMetadata().userinfo_endpoint === undefined) return claims
        return { ...claims, ...(await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub)) }
      } catch (error) {
        if (error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied')
          throw new ApiError('forbidden', {
            message: `You canceled the sign-in with ${config.OIDC_LABEL}, or it refused you.`,
            attributes: { code: 'canceled' },
          })
        throw failure(error)
      }
    },
    close: () => http.close(),
  }
}
