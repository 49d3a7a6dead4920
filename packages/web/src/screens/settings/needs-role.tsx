import { Empty } from '../../parts/states.tsx'

/** Instead of a list that the role of the user doesn't allow. */
export function NeedsRole({ what, denial }: { what: string; denial: string }) {
  return (
    <Empty title={`${what} aren’t shown to you`}>
      <p className="muted-text">{denial}</p>
    </Empty>
  )
}
