// Why failures happen: every statement refers to its evidence by number.
import type { RootCause as Analysis } from '@vedette/contracts'

export function RootCause({ analysis }: { analysis: Analysis }) {
  const { rootCause, userImpact, codeFix, evidence } = analysis
  return (
    <div className="root-cause">
      <p>
        <strong>Cause:</strong> {rootCause}
      </p>
      <p>
        <strong>Impact:</strong> {userImpact}
      </p>
      {codeFix && (
        <p>
          <strong>What to do:</strong> {codeFix}
        </p>
      )}
      {evidence && evidence.length > 0 && (
        <details>
          <summary>Evidence</summary>
          <ol className="evidence">
            {evidence.map(({ description }, index) => (
              <li key={description}>
                [{index + 1}] {description}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  )
}
