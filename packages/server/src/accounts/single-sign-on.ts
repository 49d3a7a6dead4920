// People sign in by the operator's identity provider.
import { randomUUID } from 'node:crypto'
import { ApiError, minuteMs, type Role } from '@vedette/contracts'
import { hashKey } from '../storage/accounts/api-keys.ts'
import { deleteIdentity, findIdentity, putIdentity } from '../storage/accounts/identities.ts'
import {
  findRole,
  findUserByEmail,
  listAllAccounts,
  putMembership,
} from '../storage/accounts/installation.ts'
import { deleteInvite, findInviteById, findInviteByToken } from '../storage/accounts/invites.ts'
import { insertChallenge, takeChallenge } from '../storage/accounts/sign-in-challenges.ts'
import { insertMembership, insertUser, listRoles, lockUser } from '../storage/accounts/users.ts'
import { type Db, transact } from '../storage/core/db.ts'
import { mapUniqueViolation } from '../storage/core/map-unique-violation.ts'
import type { Claims, Flow, OidcProvider } from './oidc/provider.ts'
import { requireWayToSignIn } from './passkeys.ts'
import { mapRole, type RoleMapping } from './role-mapping.ts'
import { endOthers, type FactorOwner, type FactorParts } from './second-factor.ts'
import { type SignInClient, type SignInStart, startSignIn } from './sign-in.ts'

export interface JoinRules {
  provider: OidcProvider
  allowedDomains: readonly string[]
  mapping: RoleMapping
  /** The account of mapped roles; null: the oldest one. */
  accountId: string | null
}

/** How long a person may take at the provider. */
export const singleSignOnMs = 10 * minuteMs

/** Stored while the person is at the provider. */
interface Facts {
  nonce: string
  verifier: string
  /** Hash of the cookie: the response must come from the browser that began. */
  browser: string
  inviteId: string | null
}

/** Returns the address to open. */
export async function beginSingleSignOn(
  { db, clock }: FactorParts,
  provider: OidcProvider,
  request: { browserSecret: string; invitationToken?: string | undefined; isConfirmation: boolean },
): Promise<string> {
  const now = clock.now()
  const { invitationToken } = request
  const invite = invitationToken === undefined ? null : await findInviteByToken(db, invitationToken, now)
  if (invitationToken !== undefined && invite === null) throw refuse('invitation_used', usedInvitation)
  const flow = provider.newFlow()
  const url = await provider.addressOf(flow, { isNewSignIn: request.isConfirmation })
  const facts: Facts = {
    ...{ nonce: flow.nonce, verifier: flow.verifier, inviteId: invite?.id ?? null },
    browser: hashKey(request.browserSecret).toString('hex'),
  }
  const expiresAt = now + singleSignOnMs
  await insertChallenge(db, { kind: 'single_sign_on', userId: null, facts, expiresAt }, flow.state)
  return url
}

export async function finishSingleSignOn(
  { db, clock }: FactorParts,
  rules: JoinRules,
  { query, browserSecret }: { query: string; browserSecret: string | undefined },
  client: SignInClient,
): Promise<SignInStart> {
  const { flow, inviteId } = await takeFlow(db, { query, browserSecret, now: clock.now() })
  const claims = await rules.provider.redeem(query, flow)
  const now = clock.now()
  return transact(db, async (tx) => {
    const userId =
      inviteId === null
        ? await findOrJoin(tx, rules, claims)
        : await acceptInvite(tx, rules, claims, { inviteId, now })
    // Two first sign-ins of one person at the same time.
    await lockUser(tx, userId)
    const { sub: subject } = claims
    const email = emailIn(claims)
    await putIdentity(tx, { issuer: rules.provider.issuer, subject, userId, email, now })
    await applyRole(tx, rules, { userId, role: mapRole(rules.mapping, claims) })
    if ((await listRoles(tx, userId)).length === 0) throw refuse('no_role', noRole)
    return startSignIn(tx, userId, client, now)
  })
}

async function takeFlow(
  db: Db,
  { query, browserSecret, now }: { query: string; browserSecret: string | undefined; now: number },
): Promise<{ flow: Flow; inviteId: string | null }> {
  const state = new URLSearchParams(query).get('state') ?? ''
  const facts = readFacts((await takeChallenge(db, { kind: 'single_sign_on', token: state, now }))?.facts)
  if (facts === null)
    throw refuse(
      'expired',
      'This sign-in was completed already, or took longer than 10 minutes. Begin again.',
    )
  const isSameBrowser =
    browserSecret !== undefined && hashKey(browserSecret).toString('hex') === facts.browser
  if (!isSameBrowser)
    throw refuse(
      'other_browser',
      'This sign-in began in another browser, or at another address of this server. Begin again.',
    )
  return { flow: { state, nonce: facts.nonce, verifier: facts.verifier }, inviteId: facts.inviteId }
}

function readFacts(facts: unknown): Facts | null {
  if (typeof facts !== 'object' || facts === null) return null
  const { nonce, verifier, browser, inviteId }: Partial<Facts> = facts
  if (nonce === undefined || verifier === undefined || browser === undefined) return null
  return { nonce, verifier, browser, inviteId: inviteId ?? null }
}

/** The user of a known identity; otherwise that of a verified email in an allowed domain. */
async function findOrJoin(
  tx: Db,
  { provider, allowedDomains, mapping }: JoinRules,
  claims: Claims & { sub: string },
): Promise<string> {
  const known = await findIdentity(tx, { issuer: provider.issuer, subject: claims.sub })
  if (known !== null) return known.user_id
  const email = requireVerifiedEmail(provider, claims)
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  if (!allowedDomains.includes(domain))
    throw refuse(
      'domain_not_allowed',
      `${email} may not join by itself. Ask an admin of your account to invite this address.`,
    )
  const user = await findUserByEmail(tx, email)
  if (user !== null) return user.id
  if (mapRole(mapping, claims) === null) throw refuse('no_role', noRole)
  return createUser(tx, email, claims)
}

/** The invitation says which email may join; the provider says that this person has it. */
async function acceptInvite(
  tx: Db,
  { provider }: JoinRules,
  claims: Claims & { sub: string },
  { inviteId, now }: { inviteId: string; now: number },
): Promise<string> {
  const invite = await findInviteById(tx, inviteId, now)
  // Of two requests with one invitation, the second finds none.
  if (invite === null || !(await deleteInvite(tx, invite.account_id, invite.id)))
    throw refuse('invitation_used', usedInvitation)
  const email = requireVerifiedEmail(provider, claims)
  if (email.toLowerCase() !== invite.email.toLowerCase())
    throw refuse(
      'invitation_mismatch',
      `The invitation is for ${invite.email}, and you signed in as ${email}. Ask for an invitation of that address.`,
    )
  const known = await findIdentity(tx, { issuer: provider.issuer, subject: claims.sub })
  const userId =
    known?.user_id ?? (await findUserByEmail(tx, email))?.id ?? (await createUser(tx, email, claims))
  if ((await findRole(tx, invite.account_id, userId)) === null)
    await insertMembership(tx, { account_id: invite.account_id, user_id: userId, role: invite.role })
  return userId
}

/** Owners keep their role: only an owner changes owners. */
async function applyRole(
  tx: Db,
  { accountId }: JoinRules,
  { userId, role }: { userId: string; role: Role | null },
): Promise<void> {
  if (role === null) return
  const account = accountId ?? (await listAllAccounts(tx))[0]?.id
  if (account === undefined) return
  const current = await findRole(tx, account, userId)
  if (current !== 'OWNER' && current !== role) await putMembership(tx, account, userId, role)
}

async function createUser(tx: Db, email: string, { name }: Claims): Promise<string> {
  const shown = typeof name === 'string' && name !== '' ? name.slice(0, 200) : null
  const { id } = await mapUniqueViolation({ users_email: 'email' }, () =>
    insertUser(tx, { id: randomUUID(), name: shown, email }),
  )
  return id
}

function emailIn({ email }: Claims): string | null {
  return typeof email === 'string' && /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= 320 ? email : null
}

function requireVerifiedEmail({ label }: OidcProvider, claims: Claims): string {
  const email = emailIn(claims)
  // Some providers send the word.
  const isVerified = claims.email_verified === true || claims.email_verified === 'true'
  if (email !== null && isVerified) return email
  throw refuse(
    'unverified_email',
    `You are not known here yet, and ${label} didn't send a verified email by which you could join. Verify your email there, or ask the operator of this server.`,
  )
}

/** Ends the other sign-ins. */
export async function disconnectIdentity({ db }: FactorParts, owner: FactorOwner, id: string): Promise<void> {
  await transact(db, async (tx) => {
    await lockUser(tx, owner.userId)
    if (!(await deleteIdentity(tx, owner.userId, id))) throw new ApiError('not_found')
    await requireWayToSignIn(tx, owner.userId)
    await endOthers(tx, owner)
  })
}

const usedInvitation =
  'This invitation was used or withdrawn, or is older than 24 hours. Ask for another one.'
const noRole =
  'You have no role in any account here. Ask an admin to invite you, or to add you to a group that has one.'

function refuse(code: string, message: string): ApiError {
  return new ApiError('forbidden', { message, attributes: { code } })
}
