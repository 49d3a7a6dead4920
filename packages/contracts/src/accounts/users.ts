import { z } from 'zod'
import { Uuid } from '../core/fields.ts'
import { Role } from '../core/roles.ts'
import { route } from '../core/route.ts'

/** Who calls. A service key has no person behind it: it answers with its own id and name. */
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
