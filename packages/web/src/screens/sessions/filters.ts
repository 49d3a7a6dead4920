// The filters of the list of sessions, as the address has them.
import type { SessionEntry } from '../../api/types.ts'

type Kind = SessionEntry['kind']
export type SessionState = SessionEntry['state']
export type Provider = NonNullable<SessionEntry['provider']>

export const stateLabels: Record<SessionState, string> = {
  running: 'Running',
  passed: 'Passed',
  degraded: 'Degraded',
  failed: 'Failed',
  cancelled: 'Canceled',
}

export const providerLabels: Record<Provider, string> = {
  GITHUB: 'GitHub',
  VERCEL: 'Vercel',
  API: 'API',
  TRIGGER: 'Trigger',
  PW_REPORTER: 'Playwright reporter',
}

export interface SessionFilters {
  textSearch: string
  kind: Kind | null
  states: SessionState[]
  provider: Provider | null
  branch: string
  commit: string
  checkId: string | null
}

export const noFilters: SessionFilters = {
  textSearch: '',
  kind: null,
  states: [],
  provider: null,
  branch: '',
  commit: '',
  checkId: null,
}

export function readFilters(search: URLSearchParams): SessionFilters {
  const kind = search.get('kind')
  return {
    textSearch: search.get('query') ?? '',
    kind: kind === 'check' || kind === 'test' ? kind : null,
    states: search.getAll('state').filter(isKeyOf(stateLabels)),
    provider: [search.get('provider') ?? ''].find(isKeyOf(providerLabels)) ?? null,
    branch: search.get('branch') ?? '',
    commit: search.get('commit') ?? '',
    checkId: search.get('checkId'),
  }
}

export function writeFilters(filters: SessionFilters): URLSearchParams {
  const search = new URLSearchParams()
  const { textSearch, kind, states, provider, branch, commit, checkId } = filters
  if (textSearch !== '') search.set('query', textSearch)
  if (kind !== null) search.set('kind', kind)
  for (const state of states) search.append('state', state)
  if (provider !== null) search.set('provider', provider)
  if (branch !== '') search.set('branch', branch)
  if (commit !== '') search.set('commit', commit)
  if (checkId !== null) search.set('checkId', checkId)
  return search
}

/** As the API takes them. */
export function queryOf({ textSearch, kind, states, provider, branch, commit, checkId }: SessionFilters) {
  return {
    ...(textSearch.trim() === '' ? {} : { textSearch: textSearch.trim() }),
    ...(kind === null ? {} : { kind }),
    ...(states.length === 0 ? {} : { states }),
    ...(provider === null ? {} : { providers: [provider] }),
    ...(branch.trim() === '' ? {} : { branch: branch.trim() }),
    ...(commit.trim() === '' ? {} : { commit: commit.trim() }),
    ...(checkId === null ? {} : { checkId }),
  }
}

export function isFiltered(filters: SessionFilters): boolean {
  return writeFilters(filters).size > 0
}

function isKeyOf<K extends string>(labels: Record<K, string>) {
  return (text: string): text is K => Object.hasOwn(labels, text)
}
