// A device with passkeys, in software: ECDSA on P-256, without attestation.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

interface Held {
  id: Buffer
  privateKey: KeyObject
  userHandle: string
  counter: number
}

/** What the test lets the device do wrong. */
export interface Misuse {
  origin?: string
  rpId?: string
  /** Without a fingerprint or a PIN. */
  isUnverified?: boolean
  challenge?: string
  type?: string
  counter?: number
  signature?: Buffer
}

export class Authenticator {
  readonly #origin: string
  readonly #held: Held[] = []

  constructor(origin: string) {
    this.#origin = origin
  }

  /** The credential of `POST /v1/users/me/passkeys`. */
  // biome-ignore lint/suspicious/noExplicitAny: the options are the body of a response
  create(options: any, misuse: Misuse = {}) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = publicKey.export({ format: 'jwk' })
    const held = { id: randomBytes(32), privateKey, userHandle: options.user.id, counter: 1 }
    this.#held.push(held)
    const key = cborMap([
      [cborInt(1), cborInt(2)],
      [cborInt(3), cborInt(-7)],
      [cborInt(-1), cborInt(1)],
      [cborInt(-2), cborBytes(Buffer.from(jwk.x ?? '', 'base64url'))],
      [cborInt(-3), cborBytes(Buffer.from(jwk.y ?? '', 'base64url'))],
    ])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(held.id.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, held.id, key])
    const authData = this.#authData(misuse.rpId ?? options.rp.id, held.counter, misuse, attested)
    const attestation = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(authData)],
    ])
    return {
      id: held.id.toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      clientDataJSON: this.#clientData('webauthn.create', options.challenge, misuse),
      transports: ['internal'],
    }
  }

  /** The body of `POST /v1/sign-in/passkey`. */
  // biome-ignore lint/suspicious/noExplicitAny: the options are the body of a response
  get(options: any, misuse: Misuse = {}) {
    const held = this.#held.at(-1)
    if (held === undefined) throw new Error('This authenticator has no passkey')
    held.counter = misuse.counter ?? held.counter + 1
    const authData = this.#authData(misuse.rpId ?? options.rpId, held.counter, misuse)
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, misuse)
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()
    const signature = misuse.signature ?? sign('sha256', Buffer.concat([authData, hash]), held.privateKey)
    return {
      id: held.id.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      clientDataJSON,
      signature: signature.toString('base64url'),
      userHandle: held.userHandle,
    }
  }

  #clientData(type: string, challenge: string, misuse: Misuse): string {
    const data = {
      type: misuse.type ?? type,
      challenge: misuse.challenge ?? challenge,
      origin: misuse.origin ?? this.#origin,
      crossOrigin: false,
    }
    return Buffer.from(JSON.stringify(data)).toString('base64url')
  }

  #authData(rpId: string, counter: number, misuse: Misuse, attested = Buffer.alloc(0)): Buffer {
    const isPresent = 0x01
    const isVerified = misuse.isUnverified ? 0 : 0x04
    const flags = isPresent | isVerified | (attested.length > 0 ? 0x40 : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count, attested])
  }
}

function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff])
}

function cborInt(value: number): Buffer {
  return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([cborHead(2, bytes.length), bytes])
}

function cborText(text: string): Buffer {
  return Buffer.concat([cborHead(3, text.length), Buffer.from(text)])
}

function cborMap(entries: [Buffer, Buffer][]): Buffer {
  return Buffer.concat([cborHead(5, entries.length), ...entries.flat()])
}
