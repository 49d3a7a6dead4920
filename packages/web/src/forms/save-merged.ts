// Saves what one person edited although another may have saved meanwhile: fields that only one of them changed are merged.
import { changesOf, isSame, valueAt, withValue } from './values.ts'

/** Someone else has changed a field that is being edited. */
export interface Conflict {
  path: string
  mine: unknown
  theirs: unknown
}

export interface Clash<T> {
  conflicts: readonly Conflict[]
  /** What is stored now. */
  current: T
}

interface SaveSteps<T> {
  /** What is stored now. */
  reload(): Promise<T>
  /** Stores the values, which were made of `from`. `changed`: someone else has saved since it was read. */
  store(next: T, from: T): Promise<'saved' | 'failed' | 'changed'>
}

const maxTries = 3

/** `from` is what `mine` was made of. `busy`: others saved between reading and writing, each time. */
export async function saveMerged<T extends object>(
  mine: T,
  from: T,
  { reload, store }: SaveSteps<T>,
): Promise<'saved' | 'failed' | 'busy' | Clash<T>> {
  for (let count = 0; count < maxTries; count++) {
    const current = await reload()
    const conflicts = conflictsOf(mine, from, current)
    if (conflicts.length > 0) return { conflicts, current }
    const outcome = await store(withTheirs(mine, from, current), current)
    if (outcome !== 'changed') return outcome
  }
  return 'busy'
}

/** Fields that both have changed, to different values. */
function conflictsOf<T extends object>(mine: T, from: T, current: T): Conflict[] {
  return changesOf(from, current).flatMap(({ path, after }) => {
    const own = valueAt(mine, path)
    const isMine = !isSame(own, valueAt(from, path)) && !isSame(own, after)
    return isMine ? [{ path, mine: own, theirs: after }] : []
  })
}

/** Fields that only others have changed get their values. */
export function withTheirs<T extends object>(values: T, base: T, current: T): T {
  let merged = values
  for (const { path, after } of changesOf(base, current))
    if (isSame(valueAt(values, path), valueAt(base, path))) merged = withValue(merged, path, after)
  return merged
}
