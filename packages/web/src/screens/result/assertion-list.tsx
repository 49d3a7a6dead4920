import { type Assertion, actualOf, expectationOf } from '../../core/assertion-words.ts'
import { StateLabel } from '../../parts/state-icon.tsx'
import { TableBox } from '../../parts/table-box.tsx'

/** Failed ones first. */
export function AssertionList({ assertions }: { assertions: readonly Assertion[] }) {
  const sorted = assertions
    .map((assertion, index) => ({ assertion, index, isFailed: assertion.error !== undefined }))
    .sort((a, b) => Number(b.isFailed) - Number(a.isFailed))
  return (
    <section aria-labelledby="assertions">
      <h2 id="assertions">Assertions</h2>
      <TableBox label="Assertions">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Outcome</th>
              <th scope="col">Expected</th>
              <th scope="col">Actual</th>
            </tr>
          </thead>
          <tbody>
            {sorted.map(({ assertion, index, isFailed }) => (
              <tr key={index}>
                <td>
                  {isFailed ? (
                    <StateLabel state="failing" label="Failed" />
                  ) : (
                    <StateLabel state="passing" label="Passed" />
                  )}
                </td>
                <td>{expectationOf(assertion)}</td>
                <td>{actualOf(assertion) ?? assertion.error ?? 'as expected'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </section>
  )
}
