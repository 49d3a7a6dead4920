// The filters of the audit log in the address, and as the API takes them.

export interface AuditFilters {
  person: string
  kind: string
  action: string
  outcome: string
  /** Days, such as 2026-11-16; empty: no limit. */
  from: string
  to: string
  /** Only of this resource. */
  resource: string
}

export function readAuditFilters(search: URLSearchParams): AuditFilters {
  const text = (name: string) => search.get(name) ?? ''
  const day = (name: string) => (/^\d{4}-\d{2}-\d{2}$/.test(text(name)) ? text(name) : '')
  return {
    person: /^[\da-f-]{36}$/i.test(text('person')) ? text('person') : '',
    kind: text('kind'),
    action: text('action'),
    outcome: text('outcome'),
    from: day('from'),
    to: day('to'),
    resource: text('resource'),
  }
}

const actions = ['create', 'update', 'delete', 'other'] as const
const outcomes = ['done', 'refused', 'failed', 'unknown'] as const

export function toAuditQuery({ person, kind, action, outcome, from, to, resource }: AuditFilters) {
  const knownAction = actions.find((one) => one === action)
  const knownOutcome = outcomes.find((one) => one === outcome)
  return {
    ...(person === '' ? {} : { actorId: person }),
    ...(kind === '' ? {} : { kind }),
    ...(knownAction === undefined ? {} : { action: knownAction }),
    ...(knownOutcome === undefined ? {} : { outcome: knownOutcome }),
    ...(from === '' ? {} : { from: startOf(from, 0) }),
    ...(to === '' ? {} : { to: startOf(to, 1) }),
    ...(resource === '' ? {} : { resourceId: resource }),
  }
}

/** The first second of the day, or of a later one, in the zone of the browser. */
function startOf(day: string, later: number): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return Math.floor(new Date(year, month - 1, date + later).getTime() / 1000)
}
