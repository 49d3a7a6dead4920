// Icons of actions and navigation. They repeat a label, so screen readers skip them.
import { memo } from 'react'

const paths = {
  home: 'M2.5 7.5 8 3l5.5 4.5V13a.5.5 0 0 1-.5.5H9.500V10h-3v3.500H3a.5.5 0 0 1-.5-.5z',
  checks: 'M2.5 4h1m2.5 0h7.500M2.5 8h1m2.5 0h7.500M2.5 12h1m2.5 0h7.5',
  sessions: 'M2.500 3.500 6.500 6v-2.500l7 4.500-7 4.500V10l-4 2.500z',
  locations:
    'M8 14c3-3.500 4.500-5.800 4.500-7.500a4.500 4.500 0 0 0-9 0C3.500 8.200 5 10.500 8 14zM8 8a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3z',
  reports: 'M2.500 13.500h11M4.500 11V8M8 11V3M11.500 11V5.500',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zm3.7-1.300L14 14',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'M3.5 3.500l9 9m0-9l-9 9',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  right: 'M6 3.5 10.5 8 6 12.5',
  user: 'M8 8.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.5-2.5 2.5-4 5.5-4s5 1.5 5.5 4',
  run: 'M4.5 2.500v11l9-5.500z',
  muted: 'M4 11.500c1-1 1-2 1-4.500a3 3 0 0 1 6 0c0 .7 0 1.3.1 1.800M4 11.500h6M6.5 13.500h3M2 2l12 12',
  bell: 'M4 11.500c1-1 1-2 1-4.500a3 3 0 0 1 6 0c0 2.5 0 3.5 1 4.500zM6.5 13.500h3',
  copy: 'M5.5 5.500v-3h8v8h-3m-8-5h8v8h-8z',
  done: 'M3 8.500l3.5 3.500L13 4.5',
  plus: 'M8 3v10M3 8h10',
  edit: 'M10.5 3l2.500 2.500-7.500 7.500H3v-2.500z',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.500L13 6M13 2.500V6H9.5',
  filter: 'M2 3.500h12L9.5 9v4L6.5 14V9z',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  help: 'M8 14.500a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM6 6.300a2 2 0 1 1 2.8 1.900c-.5.2-.8.6-.8 1.100v.2M8 11.500h.01',
  pause: 'M5.5 3v10M10.5 3v10',
  external: 'M9 2.500h4.500V7M13.5 2.5 7.5 8.500M11.5 9v4.500h-9v-9H7',
  page: 'M3.5 2.500h9v11h-9zM5.500 5.500h5M5.500 8h5M5.500 10.500h3',
  dashboard: 'M2.5 3h11v10h-11zM5.500 10.500v-2M8 10.500v-5M10.500 10.500v-3.500',
  settings:
    'M2.5 4.500h5m4 0h2m-11 7h2m4 0h5M9.5 6.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6.5 13.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  wrench:
    'M10.500 2.500a3.5 3.5 0 0 0-3.300 4.700L2.500 11.900l1.600 1.600 4.700-4.700a3.5 3.5 0 0 0 4.500-4.500L11 6.500 9.500 5l2.200-2.300a3.5 3.5 0 0 0-1.200-.2z',
  panel: 'M2.5 3h11v10h-11zM6.5 3v10',
  star: 'M8 2l1.8 3.800 4.200.5-3.100 2.900.8 4.100L8 11.300l-3.700 2 .8-4.100L2 6.300l4.200-.5z',
  tag: 'M2.5 2.500h5.500l5.500 5.500-5.500 5.500-5.500-5.500zM5.5 5.500h.01',
  groups: 'M2.5 3.500h11M5 7h8.500M5 10h8.500M5 13h8.5',
  trash: 'M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.5 9h6l.5-9',
  download: 'M8 2.500v8M4.500 7.500 8 11l3.500-3.500M3 13.500h10',
} as const

export type IconName = keyof typeof paths

export const Icon = memo(function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
})
