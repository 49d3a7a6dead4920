import type { Difference } from './difference.ts'

export function DifferenceText({ difference }: { difference: Difference | null }) {
  if (difference === null) return null
  const { text, isBetter } = difference
  const look = isBetter === null ? 'muted-text' : isBetter ? 'passing' : 'failing'
  return (
    <span className={`difference ${look}`}>
      {text}
      {isBetter !== null && <span className="unseen">, {isBetter ? 'better' : 'worse'} than before</span>}
    </span>
  )
}
