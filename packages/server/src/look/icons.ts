// The icon of each state. Each has its own shape, so that color isn't the only signal. The web app draws the same shapes.
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { Html } from '../core/html.ts'

const stateNames = [
  'passing',
  'degraded',
  'partial',
  'failing',
  'unknown',
  'maintenance',
  'inactive',
  'running',
] as const

export type StateName = (typeof stateNames)[number]

const Shapes = z.record(z.enum(stateNames), z.array(z.object({ d: z.string(), dash: z.string().optional() })))
const shapes = Shapes.parse(JSON.parse(readFileSync(new URL('./state-shapes.json', import.meta.url), 'utf8')))

const line = 'fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round"'

export function stateIcon(state: StateName): Html {
  const size = 'width="16" height="16" viewBox="0 0 16 16"'
  const paths = shapes[state].map(
    ({ d, dash }) => `<path d="${d}" ${line}${dash === undefined ? '' : ` stroke-dasharray="${dash}"`}/>`,
  )
  return new Html(`<svg class="icon" ${size} aria-hidden="true" focusable="false">${paths.join('')}</svg>`)
}
