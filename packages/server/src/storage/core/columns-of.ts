import { arrayText, quotedArrayText } from './array-text.ts'

/** The columns of a batch as arrays: `plain` for numbers, UUIDs and words of our own, `text` for whatever people write. */
export function columnsOf<Row>(rows: readonly Row[]) {
  return {
    plain: (pick: (row: Row) => string | number | boolean | null) => arrayText(rows.map(pick)),
    text: (pick: (row: Row) => string | null) => quotedArrayText(rows.map(pick)),
  }
}
