import { z } from 'zod'
import { Uuid } from '../core/fields.ts'
import { Role } from '../core/roles.ts'
import { route } from '../core/route.ts'

/** The caller. For a service key, which has no user, id and name are those of the key. */
export const Me = z
  .object({
    id: Uuid,
    name: z.string().nullable(),
    email: z.string().nullable().describe('Null for a service key'),
    accounts: z.array(z.object({ id: Uuid, name: z.string(), role: Role })),
  })
  .meta({ id: 'Me' })

export const getMe = route({
  method: 'GET',
  path: '/v1/users/me',
  tag: 'Users',
  summary: 'Who the key belongs to, and the accounts it reaches',
  access: 'key',
  status: 200,
  response: Me,
})
