// The lines that differ between two texts.

export interface DiffLine {
  change: 'added' | 'removed' | 'same'
  text: string
}

/** Longer texts are shown as removed and added: the table of the comparison would be too large. */
const maxLines = 1_500

export function diffLines(before: string, after: string): DiffLine[] {
  const [old, next] = [before.split('\n'), after.split('\n')]
  const whole = (change: DiffLine['change'], lines: readonly string[]) =>
    lines.map((text) => ({ change, text }))
  if (old.length > maxLines || next.length > maxLines)
    return [...whole('removed', old), ...whole('added', next)]
  // Lengths of the longest common subsequence of the rest of both.
  const width = next.length + 1
  const common = new Uint16Array((old.length + 1) * width)
  const at = (i: number, j: number) => common[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = next.length - 1; j >= 0; j--)
      common[i * width + j] = old[i] === next[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: DiffLine[] = []
  for (let i = 0, j = 0; i < old.length || j < next.length; ) {
    const [one, other] = [old[i], next[j]]
    if (one !== undefined && one === other) {
      lines.push({ change: 'same', text: one })
      i++
      j++
    } else if (one !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ change: 'removed', text: one })
      i++
    } else {
      lines.push({ change: 'added', text: other ?? '' })
      j++
    }
  }
  return lines
}
