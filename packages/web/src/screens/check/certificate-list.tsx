// The certificates that the target sent in the range, the newest first.
import { TableBox } from '../../parts/table-box.tsx'
import { Moment } from '../../parts/time.tsx'
import type { NamedCertificate } from './use-timeline.ts'

export function CertificateList({ certificates }: { certificates: readonly NamedCertificate[] }) {
  if (certificates.length === 0) return null
  const label = 'Certificates in this range'
  return (
    <section aria-labelledby="certificates">
      <h2 id="certificates">{label}</h2>
      <TableBox label={label}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Subject</th>
              <th scope="col">Issuer</th>
              <th scope="col">Valid until</th>
              <th scope="col">First seen</th>
            </tr>
          </thead>
          <tbody>
            {certificates.toReversed().map(({ subject, issuer, validTo, from }) => (
              <tr key={`${from} ${subject} ${issuer}`}>
                <td className="reason-cell">{subject}</td>
                <td className="reason-cell">{issuer}</td>
                <td>
                  <Moment at={new Date(validTo * 1000).toISOString()} />
                </td>
                <td>
                  <Moment at={new Date(from * 1000).toISOString()} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </section>
  )
}
