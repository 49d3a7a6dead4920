// Badges of the checks that a dashboard shows, and of groups.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useGroups } from '../../api/lists.ts'
import { useSession } from '../../api/session.tsx'
import { BadgePanel } from '../../parts/badge-panel.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Empty, Failure, FirstLoad, reasonOf } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

const mostChecks = 200

export function BadgesTab({ tags }: { tags: readonly string[] }) {
  const { denialOf } = useSession()
  const [tokenUrl, setTokenUrl] = useState<string | null>(null)
  const { data: groups } = useGroups()
  const [groupId, setGroupId] = useState<number | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: ['badges', tags],
    queryFn: async ({ signal }) => {
      const query = { limit: mostChecks, ...(tags.length === 0 ? {} : { tag: [...tags] }) }
      const [account, checks] = await Promise.all([
        call('GET /v1/accounts/me', {}, signal),
        call('GET /v1/overview/checks', { query }, signal),
      ])
      return { isAllowed: account.settings.allowBadges, checks: checks.entries }
    },
  })
  const token = useMutation({
    mutationFn: (groupId: number) =>
      call('POST /v1/check-groups/{groupId}/badge-token', { params: { groupId } }),
    onSuccess: ({ url }) => setTokenUrl(url),
    onError: (problem) => showOutcome(`Couldn’t create the token: ${reasonOf(problem)}`),
  })
  if (error && data === undefined) return <Failure what="The checks" error={error} onRetry={refetch} />
  if (data === undefined || groups === undefined) return <FirstLoad />
  const { isAllowed, checks } = data
  const chosenId = groupId ?? groups[0]?.id
  if (checks.length + groups.length === 0) return <Empty title="There is no check to make a badge of" />
  return (
    <div className="stack">
      <BadgePanel
        choices={
          isAllowed
            ? [
                ...checks.map(({ id, name }) => ({
                  ...{ name, path: `/v1/badges/checks/${id}`, opens: `/checks/${id}` },
                  hasResponseTime: true,
                })),
                ...groups.map(({ id, name }) => ({
                  ...{
                    name: `${name} (group)`,
                    path: `/v1/badges/groups/${id}`,
                    opens: `/checks?groupId=${id}`,
                  },
                  hasResponseTime: true,
                })),
              ]
            : []
        }
      >
        <p className="muted-text">
          {isAllowed
            ? 'Everyone can see badges of checks and groups, while the account allows them.'
            : 'The account doesn’t allow badges (setting “allowBadges”). Badges of groups work with a token.'}
        </p>
      </BadgePanel>
      {groups.length > 0 && (
        <section aria-labelledby="token-heading">
          <h2 id="token-heading">Badge of a group with a token</h2>
          <div className="stack">
            <p className="muted-text">It works whether or not the account allows badges, and has no end.</p>
            <div className="filter-bar">
              <label className="check-box">
                Group
                <select
                  value={chosenId}
                  onChange={({ target }) => {
                    setGroupId(Number(target.value))
                    setTokenUrl(null)
                  }}
                >
                  {groups.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
              <ActionButton
                denial={denialOf('READ_WRITE')}
                isPending={token.isPending}
                onPress={() => chosenId !== undefined && token.mutate(chosenId)}
              >
                Create the badge
              </ActionButton>
            </div>
            {tokenUrl !== null && <CodeBlock title="Address of the badge" text={tokenUrl} />}
          </div>
        </section>
      )}
    </div>
  )
}
