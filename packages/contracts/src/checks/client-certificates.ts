import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { Uses } from './uses.ts'

const Pem = z.string().max(200_000)

export const ClientCertificate = z
  .object({ id: Uuid, host: z.string(), cert: z.string(), ca: z.string().nullable(), created_at: Timestamp })
  .meta({ id: 'ClientCertificate' })

export const ClientCertificateInput = z
  .object({
    host: z
      .string()
      .min(1)
      .max(500)
      .regex(/^[^\s/]+$/, 'must be a host name, with wildcards where needed')
      .describe('The hosts it is sent to: a name or a pattern such as *.example.com'),
    cert: Pem.describe('The certificate, and its chain if there is one, as PEM'),
    ca: Pem.nullable().default(null).describe('Certificates to trust, as PEM'),
    key: Pem.describe('The private key of the certificate, as PEM; never shown again'),
    passphrase: z.string().max(1000).nullable().default(null).describe('Decrypts the key; never shown again'),
  })
  .meta({ id: 'ClientCertificateInput' })

const tag = 'Client certificates'
const params = z.object({ id: Uuid })

// Self-signed, and used nowhere else.
const exampleCertificate = `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUcqABa3Cq0GpiO1+Bp3pL18XSNG0wCgYIKoZIzj0EAwIw
HzEdMBsGA1UEAwwUVmVkZXR0ZSB0ZXN0IGZpeHR1cmUwIBcNMjYxMTE1MDMzMDQ4
WhgPMjEyNjEwMjIwMzMwNDhaMB8xHTAbBgNVBAMMFFZlZGV0dGUgdGVzdCBmaXh0
dXJlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAExaR0EtKGFxd4pkIAAc1eXUCT
UHJ8VtkU9Fh/LbE5NDlSFblVa+sUJxiklCTVLv+SX2ihpUgOHZrvRnM7PeYHUqNT
MFEwHQYDVR0OBBYEFHyBfGOu69dWFl9Q8MH2vaM/FoPKMB8GA1UdIwQYMBaAFHyB
fGOu69dWFl9Q8MH2vaM/FoPKMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwID
SQAwRgIhAPpwukAP2nWhNjSKJR3vP0cJlpFmiVAq6a7HjM5w28sBAiEAv6q7Onnw
lypWv6ETLpasw7W+Xz5l7N7BQwwGIRBRnWg=
-----END CERTIFICATE-----
`

const exampleKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgw9QR6MgDjYn8zJip
+MaAvmTvHMfo6q2doh3SlrhrPzChRANCAATFpHQS0oYXF3imQgABzV5dQJNQcnxW
2RT0WH8tsTk0OVIVuVVr6xQnGKSUJNUu/5JfaKGlSA4dmu9Gczs95gdS
-----END PRIVATE KEY-----
`

export const listClientCertificates = route({
  method: 'GET',
  path: '/v1/client-certificates',
  tag,
  summary: 'List client certificates',
  access: 'READ_ONLY',
  status: 200,
  response: z.array(ClientCertificate),
})

export const getClientCertificate = route({
  method: 'GET',
  path: '/v1/client-certificates/{id}',
  tag,
  summary: 'Read a client certificate',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: ClientCertificate,
})

export const listClientCertificateUses = route({
  method: 'GET',
  path: '/v1/client-certificates/{id}/uses',
  tag,
  summary: 'List the checks that a client certificate is sent for',
  description:
    'Checks whose address has a host that it is chosen for, and SSL monitors that name it. Hosts that come from variables ' +
    'or redirects, and requests of scripts, are not known.',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: Uses,
})

export const createClientCertificate = route({
  method: 'POST',
  path: '/v1/client-certificates',
  tag,
  summary: 'Add a client certificate',
  description: 'It cannot be changed later: delete it and add another.',
  access: 'READ_WRITE',
  body: ClientCertificateInput,
  status: 201,
  response: ClientCertificate,
  example: { host: '*.example.com', cert: exampleCertificate, key: exampleKey },
})

export const deleteClientCertificate = route({
  method: 'DELETE',
  path: '/v1/client-certificates/{id}',
  tag,
  summary: 'Delete a client certificate',
  access: 'READ_WRITE',
  params,
  status: 204,
})
