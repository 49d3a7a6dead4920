// People change their password, or choose a new one by a link.
import { z } from 'zod'
import { Email } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { EnteredPassword, LinkToken, NewPassword, secondStep, signInOutcome } from './sign-in.ts'

export const PasswordChange = z
  .object({ currentPassword: EnteredPassword, newPassword: NewPassword })
  .meta({ id: 'PasswordChange' })

export const PasswordResetRequest = z.object({ email: Email }).meta({ id: 'PasswordResetRequest' })

export const PasswordReset = z.object({ password: NewPassword }).meta({ id: 'PasswordReset' })

const tag = 'Sign-in'
const password = 'correct horse battery'

export const changePassword = route({
  method: 'POST',
  path: '/v1/users/me/password',
  tag,
  summary: 'Change your password',
  description:
    'Ends your other sign-ins. API keys stay valid. For users only: a service key has no password.',
  access: 'key',
  body: PasswordChange,
  status: 204,
  example: { currentPassword: password, newPassword: 'staple battery horse' },
})

export const requestPasswordReset = route({
  method: 'POST',
  path: '/v1/password-resets',
  tag,
  summary: 'Request a link to choose a new password',
  description:
    'The response is the same whether or not someone has this email. The link is sent by email, works once, for 24 hours. ' +
    'Without a mail server, the operator prints it: `npx vedette users reset EMAIL`.',
  access: 'public',
  body: PasswordResetRequest,
  status: 202,
  example: { email: 'ann@example.com' },
})

export const resetPassword = route({
  method: 'POST',
  path: '/v1/password-resets/{token}',
  tag,
  summary: 'Choose a new password by a link',
  description: `Ends all sign-ins of the user, and starts one: sets its cookie. ${secondStep}`,
  access: 'public',
  startsSignIn: true,
  params: z.object({ token: LinkToken }),
  body: PasswordReset,
  ...signInOutcome,
  errors: [403],
  example: { password },
})
