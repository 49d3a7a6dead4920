// Admins invite people by email; a link makes them members.
import { z } from 'zod'
import { Email, EmailRead, Uuid } from '../core/fields.ts'
import { Role } from '../core/roles.ts'
import { route } from '../core/route.ts'
import { AccountInvite, GrantableRole } from './members.ts'
import { LinkToken, NewPassword, secondStep, signInOutcome, UserName } from './sign-in.ts'

export const InviteInput = z.object({ email: Email, role: GrantableRole }).meta({ id: 'AccountInviteInput' })

export const CreatedInvite = AccountInvite.extend({
  link: z.string().nullable().describe('To pass on; null if it was sent by email'),
}).meta({ id: 'CreatedAccountInvite' })

export const Invitation = z
  .object({
    email: EmailRead,
    role: Role,
    accountName: z.string(),
    isNewUser: z.boolean().describe('False: the person enters the password that they have'),
  })
  .meta({ id: 'Invitation' })

export const InvitationAcceptance = z
  .object({ name: UserName, password: NewPassword })
  .meta({ id: 'InvitationAcceptance' })

const tag = 'Accounts'
const params = z.object({ token: LinkToken })

export const createMyInvite = route({
  method: 'POST',
  path: '/v1/accounts/me/invites',
  tag,
  summary: 'Invite someone to the chosen account',
  description:
    'The link works once, for 24 hours. It is sent by email, or part of the response if the server has no mail server. Inviting ' +
    'the same email again replaces the invite.',
  access: 'ADMIN',
  body: InviteInput,
  needsConfirmation: true,
  status: 201,
  response: CreatedInvite,
  errors: [409],
  example: { email: 'bob@example.com', role: 'READ_WRITE' },
})

export const getMyInvite = route({
  method: 'GET',
  path: '/v1/accounts/me/invites/{id}',
  tag,
  summary: 'Read an invite of the chosen account',
  access: 'READ_ONLY',
  params: z.object({ id: Uuid }),
  status: 200,
  response: AccountInvite,
})

export const deleteMyInvite = route({
  method: 'DELETE',
  path: '/v1/accounts/me/invites/{id}',
  tag,
  summary: 'Withdraw an invite of the chosen account',
  access: 'ADMIN',
  params: z.object({ id: Uuid }),
  status: 204,
})

export const getInvitation = route({
  method: 'GET',
  path: '/v1/invitations/{token}',
  tag,
  summary: 'Read the invitation of a link',
  access: 'public',
  params,
  status: 200,
  response: Invitation,
})

export const acceptInvitation = route({
  method: 'POST',
  path: '/v1/invitations/{token}',
  tag,
  summary: 'Accept an invitation',
  description:
    'Creates the user, or adds the account to the user who has this email and password. Sets the cookie of a sign-in. ' +
    secondStep,
  access: 'public',
  startsSignIn: true,
  params,
  body: InvitationAcceptance,
  ...signInOutcome,
  errors: [403, 409],
  example: { name: 'Bob', password: 'correct horse battery' },
})
