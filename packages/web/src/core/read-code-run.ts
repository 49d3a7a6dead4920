// Parts of the evidence of a code run. Scripts and agents wrote it: whatever has another shape is left out.

type Values = Readonly<Record<string, unknown>>

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Texts, objects with a message and a stack, or objects with such an error. */
export function readErrors(errors: unknown): string[] {
  return listOf(errors).flatMap((one) => {
    const error = isValues(one) && isValues(one.error) ? one.error : one
    const text = isValues(error) ? (error.stack ?? error.message) : error
    return typeof text === 'string' && text !== '' ? [withoutColors(text)] : []
  })
}

/** Playwright colors its messages for terminals. */
function withoutColors(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  return text.replace(/\u001b\[[0-9;]*m/g, '')
}

export function readPages(pages: unknown): { url: string; vitals: Record<string, number | undefined> }[] {
  return listOf(pages).flatMap((page) => {
    if (!isValues(page) || typeof page.url !== 'string') return []
    const vitals = isValues(page.webVitals) ? page.webVitals : {}
    const numbers = Object.entries(vitals).flatMap(([name, value]) => {
      const number = isValues(value) ? value.value : value
      return typeof number === 'number' ? [[name, number] as const] : []
    })
    return [{ url: page.url, vitals: Object.fromEntries(numbers) }]
  })
}

export function readLog(lines: unknown): { time: number; msg: string; level: string }[] {
  return listOf(lines).flatMap((line) => {
    if (!isValues(line) || typeof line.msg !== 'string') return []
    const { time, msg, level } = line
    return [
      {
        time: typeof time === 'number' ? time : 0,
        msg: withoutColors(msg),
        level: typeof level === 'string' ? level : '',
      },
    ]
  })
}
