// Who belongs to the account, with which role, and who is invited.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type ResponseTo } from '../../api/call.ts'
import { roleNames, useSession } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { PickMenu } from '../../parts/pick-menu.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { withConfirmation } from '../../shell/confirmation.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { DeleteAction } from './delete-action.tsx'
import { DialogForm } from './dialog-form.tsx'
import { ListScreen } from './list-screen.tsx'
import { RoleSelect } from './role-select.tsx'
import { type GrantableRole, grantableRoles, roleDescriptions } from './roles.ts'
import { SecretOnce } from './secret-once.tsx'

type Entry = ResponseTo<'GET /v1/accounts/me/members'>['members'][number]
type Member = Extract<Entry, { type: 'member' }>
type Invite = Extract<Entry, { type: 'invite' }>

const queryKey = ['members']

export function Screen() {
  const { account, denialOf } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await call('GET /v1/accounts/me/members', {}, signal)).members,
  })
  const [isInviting, setInviting] = useState(false)
  const [invited, setInvited] = useState<{ email: string; link: string } | null>(null)
  const ownerCount = data?.filter(({ role }) => role === 'OWNER').length ?? 0
  return (
    <ListScreen
      title="Members"
      intro={`People who can sign in to ${account.name}. A role includes the rights of those before it.`}
      what="The members"
      data={data}
      error={error}
      onRetry={refetch}
      keyOf={(entry) => (entry.type === 'member' ? entry.userId : entry.id)}
      textOf={(entry) =>
        `${entry.type === 'member' ? (entry.name ?? '') : ''} ${entry.email} ${roleNames[entry.role]}`
      }
      rowOf={(entry) =>
        entry.type === 'member'
          ? {
              name: (
                <>
                  {entry.name ?? entry.email} <OwnMark userId={entry.userId} />
                </>
              ),
              detail: `${entry.email}`,
              actions: <MemberActions member={entry} isLastOwner={ownerCount === 1} />,
            }
          : {
              name: (
                <>
                  {entry.email}{' '}
                  <span className="tag">{entry.status === 'PENDING' ? 'Invited' : 'Invitation expired'}</span>
                </>
              ),
              detail: (
                <>
                  {roleNames[entry.role]}
                  {entry.inviterEmail !== '' && `, invited by ${entry.inviterEmail}`}, the link{' '}
                  {entry.status === 'PENDING' ? 'expires' : 'expired'} <RelativeTime at={entry.expiresAt} />
                </>
              ),
              actions: <InviteActions invite={entry} onLink={setInvited} />,
            }
      }
      empty={{ title: 'No members', text: 'People who can sign in to this account appear here.' }}
      actions={
        <ActionButton look="primary" denial={denialOf('ADMIN')} onPress={() => setInviting(true)}>
          Invite someone
        </ActionButton>
      }
    >
      {isInviting && <InviteDialog onClose={() => setInviting(false)} onLink={setInvited} />}
      {invited && (
        <SecretOnce
          title={`Invitation of ${invited.email}`}
          secret={invited.link}
          onClose={() => setInvited(null)}
        >
          <p>
            This server has no mail server, so pass on the link yourself. It works once, for 24 hours, and
            isn’t shown again.
          </p>
        </SecretOnce>
      )}
    </ListScreen>
  )
}

function OwnMark({ userId }: { userId: string }) {
  const { signIn } = useSession()
  return signIn.user.id === userId ? <span className="tag">You</span> : null
}

type Invitation = { email: string; link: string }

function useInvite(onLink: (invitation: Invitation) => void) {
  const queries = useQueryClient()
  return async (email: string, role: GrantableRole): Promise<void> => {
    const { link } = await withConfirmation(() =>
      call('POST /v1/accounts/me/invites', { body: { email, role } }),
    )
    void queries.invalidateQueries({ queryKey })
    if (link === null) showOutcome(`Sent an invitation to ${email}.`)
    else onLink({ email, link })
  }
}

function InviteDialog({ onClose, onLink }: { onClose(): void; onLink(invitation: Invitation): void }) {
  const invite = useInvite(onLink)
  return (
    <DialogForm
      title="Invite someone"
      action="Invite"
      onClose={onClose}
      send={async (values) => {
        const role = grantableRoles.find((one) => one === values.get('role')) ?? 'READ_ONLY'
        await invite(String(values.get('email')).trim(), role)
        onClose()
      }}
    >
      {(errorOf) => (
        <>
          <Field
            label="Email"
            name="email"
            type="email"
            autoComplete="off"
            error={errorOf('email')}
            autoFocus
          />
          <RoleSelect />
        </>
      )}
    </DialogForm>
  )
}

function InviteActions({ invite, onLink }: { invite: Invite; onLink(invitation: Invitation): void }) {
  const { denialOf } = useSession()
  const send = useInvite(onLink)
  const again = useMutation({
    mutationFn: () => send(invite.email, invite.role),
    onError: (error) => showOutcome(`Couldn’t invite ${invite.email}: ${reasonOf(error)}`),
  })
  const denial = denialOf('ADMIN')
  return (
    <>
      <ActionButton
        look="quiet"
        denial={denial}
        isPending={again.isPending}
        aria-label={`Invite ${invite.email} again`}
        onPress={() => again.mutate()}
      >
        Invite again
      </ActionButton>
      <DeleteAction
        verb="Withdraw"
        what={`the invitation of ${invite.email}`}
        outcome={`Withdrew the invitation of ${invite.email}.`}
        denial={denial}
        queryKey={queryKey}
        onDelete={() => call('DELETE /v1/accounts/me/invites/{id}', { params: { id: invite.id } })}
      >
        <p>The link stops working.</p>
      </DeleteAction>
    </>
  )
}

function MemberActions({ member, isLastOwner }: { member: Member; isLastOwner: boolean }) {
  const { signIn, account, denialOf } = useSession()
  const queries = useQueryClient()
  const { userId, role } = member
  const name = member.name ?? member.email
  const isOwn = signIn.user.id === userId
  const change = useMutation({
    mutationFn: (next: GrantableRole) =>
      withConfirmation(() =>
        call('PATCH /v1/accounts/me/members/{userId}', { params: { userId }, body: { role: next } }),
      ),
    onSuccess: (_, next) => showOutcome(`${name} has the role “${roleNames[next]}” now.`),
    onError: (error) => showOutcome(`Couldn’t change the role of ${name}: ${reasonOf(error)}`),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  })
  const denial =
    role === 'OWNER' && isLastOwner
      ? 'This is the last owner of the account.'
      : denialOf(role === 'OWNER' ? 'OWNER' : 'ADMIN')
  return (
    <>
      {denial === null ? (
        <PickMenu
          label={`Role of ${name}: ${roleNames[role]}`}
          button={
            <>
              {roleNames[role]} <Icon name="down" />
            </>
          }
          entries={grantableRoles.map((one) => ({
            id: one,
            text: roleNames[one],
            label: (
              <>
                {roleNames[one]} <small className="hint">{roleDescriptions[one]}</small>
              </>
            ),
            isChecked: one === role,
            onAction: () => one !== role && change.mutate(one),
          }))}
        />
      ) : (
        <ActionButton denial={denial} aria-label={`Role of ${name}: ${roleNames[role]}`}>
          {roleNames[role]} <Icon name="down" />
        </ActionButton>
      )}
      <DeleteAction
        verb={isOwn ? 'Leave' : 'Remove'}
        what={isOwn ? account.name : `${name} from ${account.name}`}
        outcome={isOwn ? `You left ${account.name}.` : `Removed ${name} from ${account.name}.`}
        denial={denial}
        queryKey={isOwn ? ['sign-in'] : queryKey}
        onDelete={() =>
          withConfirmation(() => call('DELETE /v1/accounts/me/members/{userId}', { params: { userId } }))
        }
      >
        <p>
          {isOwn ? 'You lose' : `${name} loses`} access at once, also by API keys. Checks, pages and
          everything else that {isOwn ? 'you' : 'they'} made stay.
        </p>
      </DeleteAction>
    </>
  )
}
