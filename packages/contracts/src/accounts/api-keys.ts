import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { Role } from '../core/roles.ts'
import { route } from '../core/route.ts'
import { GrantableRole } from './members.ts'

export const ApiKey = z
  .object({
    id: Uuid,
    name: z.string(),
    rawKey: z.string().optional().describe('The whole key; only in the response that creates it'),
    maskedKey: z.string().describe('The last characters of the key'),
    role: Role.optional().describe('Of a service key; a user key carries the roles of its user'),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
    lastUsedAt: Timestamp.nullable().describe('Within a minute'),
  })
  .meta({ id: 'ApiKey' })

const name = z.string().min(1).max(200)

export const UserApiKeyInput = z.object({ name }).meta({ id: 'UserApiKeyInput' })

export const ServiceApiKeyInput = z.object({ name, role: GrantableRole }).meta({ id: 'ServiceApiKeyInput' })

const tag = 'API keys'
const params = z.object({ id: Uuid })
const onlyUsers = 'For user keys only: a service key has no user.'

export const listUserApiKeys = route({
  method: 'GET',
  path: '/v1/users/me/api-keys',
  tag,
  summary: 'List your API keys',
  description: onlyUsers,
  access: 'key',
  status: 200,
  response: z.array(ApiKey),
})

export const createUserApiKey = route({
  method: 'POST',
  path: '/v1/users/me/api-keys',
  tag,
  summary: 'Create an API key of yours',
  description: onlyUsers,
  access: 'key',
  body: UserApiKeyInput,
  needsConfirmation: true,
  status: 201,
  response: ApiKey,
  example: { name: 'laptop' },
})

export const deleteUserApiKey = route({
  method: 'DELETE',
  path: '/v1/users/me/api-keys/{id}',
  tag,
  summary: 'Revoke an API key of yours',
  description: onlyUsers,
  access: 'key',
  params,
  status: 204,
})

export const listServiceApiKeys = route({
  method: 'GET',
  path: '/v1/service-api-keys',
  tag,
  summary: 'List the service API keys of the account',
  access: 'ADMIN',
  status: 200,
  response: z.array(ApiKey),
})

export const createServiceApiKey = route({
  method: 'POST',
  path: '/v1/service-api-keys',
  tag,
  summary: 'Create a service API key',
  access: 'ADMIN',
  body: ServiceApiKeyInput,
  needsConfirmation: true,
  status: 201,
  response: ApiKey,
  example: { name: 'deploys', role: 'READ_WRITE' },
})

export const deleteServiceApiKey = route({
  method: 'DELETE',
  path: '/v1/service-api-keys/{id}',
  tag,
  summary: 'Revoke a service API key',
  access: 'ADMIN',
  params,
  status: 204,
})
