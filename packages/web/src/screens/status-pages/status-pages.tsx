// All status pages: what each shows now, and how many services it has.
import { Link } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { type StatusPage, useStatusPages } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { formatNumberOf } from '../../core/format.ts'
import { severities } from '../../core/incident-words.ts'
import { ButtonLink } from '../../parts/button-link.tsx'
import { Icon } from '../../parts/icon.tsx'
import { RowKeys } from '../../parts/row-keys.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { PageLinks } from './page-links.tsx'

export function Screen() {
  const { denialOf } = useSession()
  const { data, error, refetch } = useStatusPages()
  const create = (
    <ButtonLink look="primary" href="/status-pages/new" denial={denialOf('READ_WRITE')}>
      New status page
    </ButtonLink>
  )
  return (
    <ScreenFrame title="Status pages" actions={create}>
      <PageLinks />
      {error && data === undefined ? (
        <Failure what="The status pages" error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <FirstLoad />
      ) : data.length === 0 ? (
        <Empty title="No status pages yet">
          <p className="muted-text">
            A status page tells your users what works and what doesn’t. It shows services and their incidents.
          </p>
          {create}
        </Empty>
      ) : (
        <List pages={data} />
      )}
    </ScreenFrame>
  )
}

function List({ pages }: { pages: readonly StatusPage[] }) {
  return (
    <RowKeys>
      <TableBox label="Status pages">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Now</th>
              <th scope="col">Services</th>
              <th scope="col">Address</th>
            </tr>
          </thead>
          <tbody>
            {pages.map((page) => (
              <tr key={page.id}>
                <td>
                  <Link href={`/status-pages/${page.id}`} data-row-link>
                    {page.name}
                  </Link>
                  {page.isPrivate && <span className="muted-text"> · private</span>}
                </td>
                <td>
                  <NowState page={page} />
                </td>
                <td className="nowrap">
                  {formatNumberOf(page.components.filter(({ type }) => type === 'SERVICE').length, 'service')}
                </td>
                <td>
                  <a href={`${basePath}/s/${page.url}`} target="_blank" rel="noreferrer">
                    {page.customDomainStatus?.status === 'served' ? page.customDomain : `/s/${page.url}`}{' '}
                    <Icon name="external" />
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </RowKeys>
  )
}

function NowState({ page }: { page: StatusPage }) {
  const open = page.incidents.filter(({ lastUpdateStatus }) => lastUpdateStatus !== 'RESOLVED')
  const [first] = open
  if (first === undefined) return <StateLabel state="passing" label="No open incident" />
  return (
    <Link href={`/incidents/${first.id}`}>
      <StateLabel
        state={severities[first.severity].state}
        label={open.length === 1 ? first.name : `${open.length} open incidents`}
      />
    </Link>
  )
}
