// All dashboards.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { call } from '../../api/call.ts'
import { useDashboards } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { RowKeys } from '../../parts/row-keys.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Empty, Failure, FirstLoad, reasonOf } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

export function Screen() {
  const { denialOf, account } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const { data, error, refetch } = useDashboards()
  const creation = useMutation({
    mutationFn: () => call('POST /v1/dashboards', { body: { header: account.name } }),
    onSuccess: ({ dashboardId }) => {
      void queries.invalidateQueries({ queryKey: ['dashboards'] })
      navigate(`/dashboards/${dashboardId}`)
      showOutcome('The dashboard was created. It shows all checks until you choose tags.')
    },
    onError: (problem) => showOutcome(`Couldn’t create it: ${reasonOf(problem)}`),
  })
  const create = (
    <ActionButton
      look="primary"
      denial={denialOf('READ_WRITE')}
      isPending={creation.isPending}
      onPress={() => creation.mutate()}
    >
      New dashboard
    </ActionButton>
  )
  return (
    <ScreenFrame title="Dashboards" actions={create}>
      {error && data === undefined ? (
        <Failure what="The dashboards" error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <FirstLoad />
      ) : data.length === 0 ? (
        <Empty title="No dashboards yet">
          <p className="muted-text">
            A dashboard shows checks with chosen tags: their states, availability and response times. For
            colleagues, or for a screen on the wall.
          </p>
          {create}
        </Empty>
      ) : (
        <RowKeys>
          <TableBox label="Dashboards">
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Checks</th>
                  <th scope="col">Address</th>
                </tr>
              </thead>
              <tbody>
                {data.map((dashboard) => {
                  const { dashboardId, header, tags, isPrivate, customUrl, useTagsAndOperator } = dashboard
                  const path = `/d/${customUrl ?? dashboardId}`
                  return (
                    <tr key={dashboardId}>
                      <td>
                        <Link href={`/dashboards/${dashboardId}`} data-row-link>
                          {header ?? dashboardId}
                        </Link>
                        {isPrivate && <span className="muted-text"> · private</span>}
                      </td>
                      <td>
                        {tags.length === 0
                          ? 'All checks'
                          : `With ${useTagsAndOperator ? 'all of' : 'one of'}: ${tags.join(', ')}`}
                      </td>
                      <td className="nowrap">
                        <a href={basePath + path} target="_blank" rel="noreferrer">
                          {path} <Icon name="external" />
                        </a>
                      </td>
                    </tr>
                  )
                })}
              </tbody>
            </table>
          </TableBox>
        </RowKeys>
      )}
    </ScreenFrame>
  )
}
