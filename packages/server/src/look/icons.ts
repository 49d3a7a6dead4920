// The icon of each state. Each has its own shape, so that color isn't the only signal.
import { Html } from '../core/html.ts'

export type StateName =
  | 'passing'
  | 'degraded'
  | 'partial'
  | 'failing'
  | 'unknown'
  | 'maintenance'
  | 'inactive'
  | 'running'

const line = 'fill="none" stroke="currentColor" stroke-width="2"'

const shapes: Record<StateName, string> = {
  passing: `<circle cx="8" cy="8" r="7" ${line}/><path d="M5 8.5l2 2 4-4.5" ${line}/>`,
  degraded: `<path d="M8 2l6.5 12h-13z" ${line} stroke-linejoin="round"/><path d="M8 6.5v3.5M8 11v1.5" ${line}/>`,
  partial: `<rect x="1.5" y="1.5" width="13" height="13" rx="2" ${line}/><path d="M4.5 8h7" ${line}/>`,
  failing: `<rect x="1.5" y="1.5" width="13" height="13" rx="2" ${line}/><path d="M5.5 5.5l5 5m0-5l-5 5" ${line}/>`,
  unknown: `<circle cx="8" cy="8" r="7" ${line} stroke-dasharray="3 2"/><path d="M6 6.5a2 2 0 1 1 2 2v1M8 11v1.5" ${line}/>`,
  maintenance: `<path d="M10.5 1.5a4 4 0 0 0-4 5.5l-5 5 2.5 2.5 5-5a4 4 0 0 0 5.5-4l-2.5 2-2-.5-.5-2 2-2.5" ${line} stroke-linejoin="round"/>`,
  running: `<circle cx="8" cy="8" r="7" ${line}/><path d="M4.5 8h1.5M7.25 8h1.5M10 8h1.5" ${line}/>`,
  inactive: `<path d="M5.5 3v10M10.5 3v10" ${line}/>`,
}

export function stateIcon(state: StateName): Html {
  const size = 'width="16" height="16" viewBox="0 0 16 16"'
  return new Html(`<svg class="icon" ${size} aria-hidden="true" focusable="false">${shapes[state]}</svg>`)
}
