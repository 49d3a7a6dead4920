// Passkeys of the browser: creating one, and signing with one. A canceled dialog of the browser throws `PasskeyCanceled`.
import type { ResponseTo } from './call.ts'
import { call } from './call.ts'

export type SignInWays = ResponseTo<'GET /v1/sign-in/ways'>

export class PasskeyCanceled extends Error {
  constructor() {
    super('No passkey was chosen.')
    this.name = 'PasskeyCanceled'
  }
}

/** Null: this browser has them, at this address. Otherwise the sentence that says why not. */
export function passkeyDenial({ passkeys }: SignInWays): string | null {
  if (passkeys.origin === null) return passkeys.reason
  if (location.origin !== passkeys.origin) return `Passkeys work at ${passkeys.origin}: open the app there.`
  const isKnown =
    typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential
  return isKnown ? null : 'This browser is too old for passkeys.'
}

/** What `POST /v1/sign-in/passkey` and the confirmation take. */
export async function signWithPasskey() {
  const options = await call('POST /v1/sign-in/passkey/options')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = await navigator.credentials.get({ publicKey }).catch(rethrow)
  const response = credential instanceof PublicKeyCredential ? credential.response : null
  if (credential === null || !(response instanceof AuthenticatorAssertionResponse))
    throw new PasskeyCanceled()
  return {
    id: credential.id,
    authenticatorData: encode(response.authenticatorData),
    clientDataJSON: encode(response.clientDataJSON),
    signature: encode(response.signature),
    ...(response.userHandle === null ? {} : { userHandle: encode(response.userHandle) }),
  }
}

/** What `POST /v1/users/me/passkeys` takes. */
export async function createCredential(options: ResponseTo<'POST /v1/users/me/passkeys/options'>) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey }).catch(rethrow)
  const response = credential instanceof PublicKeyCredential ? credential.response : null
  if (credential === null || !(response instanceof AuthenticatorAttestationResponse))
    throw new PasskeyCanceled()
  return {
    id: credential.id,
    attestationObject: encode(response.attestationObject),
    clientDataJSON: encode(response.clientDataJSON),
    transports: response.getTransports(),
  }
}

/** Browsers report a closed dialog, a missing passkey and a timeout alike. */
function rethrow(error: unknown): never {
  if (error instanceof DOMException && error.name === 'InvalidStateError')
    throw new Error('This device has a passkey for you already.')
  if (error instanceof DOMException) throw new PasskeyCanceled()
  throw error
}

function encode(bytes: ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(bytes))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
