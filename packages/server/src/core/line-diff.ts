// The difference of two texts, line by line (Myers' algorithm). Time and memory are bounded: texts that differ too much are
// shown as replaced.

export interface DiffLine {
  change: 'same' | 'removed' | 'added'
  text: string
}

export interface DiffLimits {
  /** Of each text; the rest isn't compared. */
  maxLines: number
  /** Removed and added lines that are searched for. */
  maxChanges: number
  /** Of the result. */
  maxShown: number
  /** Unchanged lines shown before and after a change. */
  context: number
  maxLineChars: number
}

const defaults: DiffLimits = {
  maxLines: 5_000,
  maxChanges: 400,
  maxShown: 200,
  context: 2,
  maxLineChars: 500,
}

/** Only lines that differ, and some around them; empty: none. */
export function diffLines(before: string, after: string, limits: Partial<DiffLimits> = {}): DiffLine[] {
  const { maxLines, maxChanges, maxShown, context, maxLineChars } = { ...defaults, ...limits }
  const [a, b] = [linesOf(before, maxLines), linesOf(after, maxLines)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  const lines: DiffLine[] = [
    ...asLines('same', a.slice(0, start)),
    ...changesOf(a.slice(start, a.length - end), b.slice(start, b.length - end), maxChanges),
    ...asLines('same', a.slice(a.length - end)),
  ]
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ change }) => change !== 'same')
  const shown = lines.filter(({ change }, index) => change !== 'same' || isNear(index)).slice(0, maxShown)
  return shown.map(({ change, text }) => ({ change, text: text.slice(0, maxLineChars) }))
}

function linesOf(text: string, maxLines: number): string[] {
  return text === '' ? [] : text.split(/\r?\n/, maxLines)
}

function asLines(change: DiffLine['change'], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ change, text }))
}

/** The furthest positions in `a` for each number of changes, by diagonal: then the way back is one of the shortest. */
function changesOf(a: readonly string[], b: readonly string[], maxChanges: number): DiffLine[] {
  const history: Map<number, number>[] = []
  let furthest = new Map([[1, 0]])
  for (let changes = 0; changes <= Math.min(maxChanges, a.length + b.length); changes++) {
    const next = new Map<number, number>()
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = isDown(furthest, diagonal, changes)
        ? at(furthest, diagonal + 1)
        : at(furthest, diagonal - 1) + 1
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1
      next.set(diagonal, x)
      if (x >= a.length && x - diagonal >= b.length) return wayBack(a, b, [...history, furthest])
    }
    history.push(furthest)
    furthest = next
  }
  return [...asLines('removed', a), ...asLines('added', b)]
}

const at = (positions: ReadonlyMap<number, number>, diagonal: number) => positions.get(diagonal) ?? -1

function isDown(positions: ReadonlyMap<number, number>, diagonal: number, changes: number): boolean {
  return (
    diagonal === -changes ||
    (diagonal !== changes && at(positions, diagonal - 1) < at(positions, diagonal + 1))
  )
}

function wayBack(
  a: readonly string[],
  b: readonly string[],
  history: ReadonlyMap<number, number>[],
): DiffLine[] {
  const lines: DiffLine[] = []
  let [x, y] = [a.length, b.length]
  for (let changes = history.length - 1; changes >= 0; changes--) {
    const positions = history[changes] ?? new Map<number, number>()
    const diagonal = x - y
    const isAdded = isDown(positions, diagonal, changes)
    const previousX = changes === 0 ? 0 : at(positions, isAdded ? diagonal + 1 : diagonal - 1)
    const previousY = changes === 0 ? 0 : previousX - (isAdded ? diagonal + 1 : diagonal - 1)
    while (x > previousX && y > previousY) {
      lines.push({ change: 'same', text: a[--x] ?? '' })
      y -= 1
    }
    if (changes === 0) break
    if (isAdded) lines.push({ change: 'added', text: b[--y] ?? '' })
    else lines.push({ change: 'removed', text: a[--x] ?? '' })
  }
  return lines.reverse()
}
