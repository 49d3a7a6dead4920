// Occurrences of published maintenance windows, as a status page shows them.
import { type Occurrence, occurrences } from '@vedette/contracts'
import { maintenanceKey, readMaintenanceKey } from '../../links/maintenance-key.ts'
import type { PageMaintenance } from '../../storage/pages/page-maintenance.ts'

export interface ShownWindow extends PageMaintenance {
  /** Those that it affects and the page shows. At least one. */
  serviceIds: string[]
}

type MaintenancePhase = 'planned' | 'running' | 'past'

export interface ShownMaintenance extends Occurrence {
  /** Names it in addresses and calendars. */
  key: string
  window: ShownWindow
  phase: MaintenancePhase
}

/** Windows that affect none of the services are left out. */
export function shownWindows(
  windows: readonly PageMaintenance[],
  shownServiceIds: readonly string[],
): ShownWindow[] {
  return windows.flatMap((window) => {
    const { affectAllServices, serviceIds: named } = window.visibility
    const serviceIds = shownServiceIds.filter((id) => affectAllServices || named.includes(id))
    return serviceIds.length === 0 ? [] : [{ ...window, serviceIds }]
  })
}

/** Those that overlap [from, to), soonest first. */
export function listMaintenance(
  windows: readonly ShownWindow[],
  { from, to }: { from: number; to: number },
  now: number,
): ShownMaintenance[] {
  const all = windows.flatMap((window) =>
    occurrences(window, from, to).map((time) => shownOf(window, time, now)),
  )
  return all.sort((a, b) => a.start - b.start || a.window.id - b.window.id)
}

/** The key stays valid as long as the window has an occurrence that begins then. */
export function findMaintenance(
  windows: readonly ShownWindow[],
  key: string,
  now: number,
): ShownMaintenance | null {
  const { id, start } = readMaintenanceKey(key)
  const window = windows.find((one) => one.id === id)
  if (window === undefined || Number.isNaN(start)) return null
  const time = occurrences(window, start, start + 1).find((one) => one.start === start)
  return time === undefined ? null : shownOf(window, time, now)
}

function shownOf(window: ShownWindow, { start, end }: Occurrence, now: number): ShownMaintenance {
  return {
    window,
    start,
    end,
    key: maintenanceKey(window.id, start),
    phase: phaseOf(window, start, end, now),
  }
}

/** Without autoStart, it stays planned until its end. */
function phaseOf({ visibility }: ShownWindow, start: number, end: number, now: number): MaintenancePhase {
  if (end <= now) return 'past'
  return start <= now && visibility.autoStart ? 'running' : 'planned'
}
