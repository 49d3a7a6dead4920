import { z } from 'zod'
import { Email, EmailRead, Uuid } from '../core/fields.ts'
import { Role } from '../core/roles.ts'
import { route } from '../core/route.ts'
import { LinkToken, UserName } from './sign-in.ts'

/** The caller. For a service key, which has no user, id and name are those of the key. */
export const Me = z
  .object({
    id: Uuid,
    name: z.string().nullable(),
    email: z.string().nullable().describe('Null for a service key'),
    accounts: z.array(z.object({ id: Uuid, name: z.string(), role: Role })),
  })
  .meta({ id: 'Me' })

export const UserUpdate = z.object({ name: UserName }).meta({ id: 'UserUpdate' })

export const EmailChange = z
  .object({
    email: EmailRead.describe('The one that counts now'),
    pendingEmail: EmailRead.nullable().describe('Counts once the link that was sent to it is opened'),
  })
  .meta({ id: 'EmailChange' })

const tag = 'Users'

export const getMe = route({
  method: 'GET',
  path: '/v1/users/me',
  tag,
  summary: 'Who the key belongs to, and the accounts it reaches',
  access: 'key',
  status: 200,
  response: Me,
})

export const updateMe = route({
  method: 'PATCH',
  path: '/v1/users/me',
  tag,
  summary: 'Change your name',
  description: 'For users only: the name of a service key stays.',
  access: 'key',
  body: UserUpdate,
  status: 200,
  response: Me,
  example: { name: 'Ann' },
})

export const changeMyEmail = route({
  method: 'POST',
  path: '/v1/users/me/email',
  tag,
  summary: 'Change your email',
  description:
    'With a mail server, a link is sent to the new address, which works once, for 24 hours, and a notice to the old one. The ' +
    'response is the same if someone else has the new address; then no link is sent. Without a mail server, the email changes ' +
    'at once; with an identity provider it is then 409, since the provider joins people by email. For requests with the cookie of a sign-in: an API key must not be enough to take over its user.',
  access: 'key',
  body: z.object({ email: Email }).meta({ id: 'EmailChangeInput' }),
  needsConfirmation: true,
  status: 200,
  response: EmailChange,
  errors: [409],
  example: { email: 'ann@example.org' },
})

export const confirmMyEmail = route({
  method: 'POST',
  path: '/v1/users/me/email/confirmation',
  tag,
  summary: 'Confirm your new email by the link',
  description:
    'For the user who asked for the change. Links to reset the password that were sent before end.',
  access: 'key',
  body: z.object({ token: LinkToken }).meta({ id: 'EmailConfirmation' }),
  status: 200,
  response: EmailChange,
  errors: [404, 409],
  example: { token: 'k3x…' },
})
