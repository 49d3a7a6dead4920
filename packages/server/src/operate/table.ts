/** Aligns rows in columns. */
export function formatTable(head: string[], rows: (string | number | null)[][], emptyText: string): string {
  if (rows.length === 0) return emptyText
  const cells = [
    head,
    ...rows.map((row) => row.map((cell) => (cell === null ? '-' : removeControls(String(cell))))),
  ]
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Names come from users: their control characters must not reach the operator's terminal. */
function removeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ')
}
