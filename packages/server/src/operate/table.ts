/** Rows in columns as wide as their longest cell. */
export function table(head: string[], rows: (string | number | null)[][], nothing: string): string {
  if (rows.length === 0) return nothing
  const cells = [
    head,
    ...rows.map((row) => row.map((cell) => (cell === null ? '-' : printable(String(cell))))),
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

/** Names come from users: a control character in one must not reach the operator's terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ')
}
