// The domain of a page of its own: what to set in DNS, and whether it works.
import type { Dashboard } from '../api/pages.ts'
import { TextInput } from '../forms/fields.tsx'
import type { Form } from '../forms/use-form.ts'
import { CopyButton } from './copy-button.tsx'
import { StateLabel } from './state-icon.tsx'
import { TableBox } from './table-box.tsx'

interface DomainSectionProps {
  // biome-ignore lint/suspicious/noExplicitAny: status pages and dashboards have this field
  form: Form<any>
  /** What is stored. */
  domain: string | null
  status: Dashboard['customDomainStatus']
}

export function DomainSection({ form, domain, status }: DomainSectionProps) {
  return (
    <>
      <TextInput
        form={form}
        path="customDomain"
        label="Domain of your own"
        emptyAs={null}
        isMono
        placeholder="status.example.com"
        description="It shows this page at its root, and nothing else of this server. A proxy in front must obtain the certificate."
      />
      {domain !== null && status !== null && (
        <section className="panel" aria-labelledby="domain-state">
          <header className="section-head">
            <h2 id="domain-state">{domain}</h2>
            {status.status === 'served' ? (
              <StateLabel state="passing" label="Served" />
            ) : (
              <StateLabel state="degraded" label="Waiting" />
            )}
          </header>
          {status.reason && <p>{status.reason}</p>}
          <TableBox label="DNS records">
            <table className="table dns-table">
              <thead>
                <tr>
                  <th scope="col">Type</th>
                  <th scope="col">Name</th>
                  <th scope="col">Value</th>
                  <th scope="col">
                    <span className="unseen">Copy</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                <tr>
                  <td className="nowrap">{addressType()}</td>
                  <td>
                    <code>{domain}</code>
                  </td>
                  <td>
                    <code>{location.hostname}</code>
                  </td>
                  <td>
                    <CopyButton text={location.hostname} />
                  </td>
                </tr>
                <tr>
                  <td className="nowrap">{status.recordType}</td>
                  <td>
                    <code>{status.recordName}</code>
                  </td>
                  <td>
                    <code>{status.recordValue}</code>
                  </td>
                  <td>
                    <CopyButton text={status.recordValue} />
                  </td>
                </tr>
              </tbody>
            </table>
          </TableBox>
          <p className="muted-text">
            The TXT record proves that the domain is yours. It is needed if this installation has more than
            one account, and is looked up every two minutes until it is found. Leave it in place.
          </p>
        </section>
      )}
    </>
  )
}

/** A name can only lead to another name by a CNAME record, and to an address by the others. */
function addressType(): string {
  if (location.hostname.startsWith('[')) return 'AAAA'
  return /^[\d.]+$/.test(location.hostname) ? 'A' : 'CNAME'
}
