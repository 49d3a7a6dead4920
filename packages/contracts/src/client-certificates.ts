import { z } from 'zod'
import { Timestamp, Uuid } from './fields.ts'
import { route } from './route.ts'

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
      .describe('The hosts it is shown to: a name or a pattern such as *.example.com'),
    cert: Pem.describe('The certificate, and its chain if there is one, as PEM'),
    ca: Pem.nullable().default(null).describe('Certificates to trust, as PEM'),
    key: Pem.describe('The private key of the certificate, as PEM; never shown again'),
    passphrase: z.string().max(1000).nullable().default(null).describe('Opens the key; never shown again'),
  })
  .meta({ id: 'ClientCertificateInput' })

const tag = 'Client certificates'
const params = z.object({ id: Uuid })

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

export const createClientCertificate = route({
  method: 'POST',
  path: '/v1/client-certificates',
  tag,
  summary: 'Add a client certificate',
  description: 'It can not be changed afterwards: delete it and add another.',
  access: 'READ_WRITE',
  body: ClientCertificateInput,
  status: 201,
  response: ClientCertificate,
  example: {
    host: '*.example.com',
    cert: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
    key: '-----BEGIN ENCRYPTED PRIVATE KEY-----\n…\n-----END ENCRYPTED PRIVATE KEY-----\n',
    passphrase: 'opens the key',
  },
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
