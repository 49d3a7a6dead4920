// Certificates for stories, created at run time: a certificate authority and what it signs. The keys protect nothing.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import { bits, type Der, der, integer, objectId, octets, sequence, set, time, utf8, yes } from './der.ts'

export interface Certificate {
  cert: string
  key: string
}

export interface CertificateWish {
  /** Its names and addresses. */
  hosts: string[]
  from?: Date
  until?: Date
}

const day = 86_400_000
const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'))

export class Authority {
  readonly cert: string
  readonly #name: string
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  constructor(name: string) {
    this.#name = name
    const keyUsage = extension('2.5.29.15', Buffer.from([0x03, 0x02, 0x01, 0x06]), true)
    this.cert = signed(this.#keys.privateKey, {
      issuer: name,
      subject: name,
      publicKey: this.#keys.publicKey,
      extensions: [extension('2.5.29.19', sequence(yes), true), keyUsage, keyIdOf(this.#keys.publicKey)],
    })
  }

  issue({ hosts, ...span }: CertificateWish): Certificate {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const cert = signed(this.#keys.privateKey, {
      issuer: this.#name,
      subject: hosts[0] as string,
      publicKey,
      extensions: [alternativeNames(hosts)],
      ...span,
    })
    return { cert, key: pemOf(privateKey) }
  }
}

export function selfSigned({ hosts, ...span }: CertificateWish): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = hosts[0] as string
  const cert = signed(privateKey, {
    issuer: name,
    subject: name,
    publicKey,
    extensions: [alternativeNames(hosts)],
    ...span,
  })
  return { cert, key: pemOf(privateKey) }
}

interface Facts {
  issuer: string
  subject: string
  publicKey: KeyObject
  extensions: Der[]
  from?: Date
  until?: Date
}

function signed(signer: KeyObject, facts: Facts): string {
  const { from = new Date(Date.now() - day), until = new Date(Date.now() + 90 * day) } = facts
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    // DER has no leading zeros.
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    nameOf(facts.issuer),
    sequence(time(from), time(until)),
    nameOf(facts.subject),
    facts.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...facts.extensions)),
  )
  const certificate = sequence(body, ecdsaWithSha256, bits(sign('sha256', body, signer)))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

const nameOf = (name: string) => sequence(set(sequence(objectId('2.5.4.3'), utf8(name))))

function extension(id: string, value: Buffer, isCritical = false): Der {
  return sequence(objectId(id), ...(isCritical ? [yes] : []), octets(value))
}

function keyIdOf(publicKey: KeyObject): Der {
  const id = createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
  return extension('2.5.29.14', octets(id))
}

function alternativeNames(hosts: string[]): Der {
  const names = hosts.map((host) =>
    isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, host),
  )
  return extension('2.5.29.17', sequence(...names))
}

const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string
