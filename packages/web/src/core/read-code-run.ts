// Parts of the evidence of a code run. Scripts and agents wrote it: whatever has another shape is left out.
import { stripTerminalCodes } from '@vedette/contracts/script-errors'

type Values = Readonly<Record<string, unknown>>

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

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
        msg: stripTerminalCodes(msg),
        level: typeof level === 'string' ? level : '',
      },
    ]
  })
}
