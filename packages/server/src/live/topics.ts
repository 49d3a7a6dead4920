// The topics under which clients follow their runs.
import type { SuiteMessage } from '../dispatch/suite-messages.ts'

const uuid = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
const suiteFilter = new RegExp(`^account/(${uuid})/ad-hoc-check-results/(${uuid})/(?:\\+/\\+/\\+|#)$`)

/** The suite that a filter means; null: the filter isn't one of this account. */
export function suiteOf(filter: string, accountId: string): string | null {
  const [, account, suite] = suiteFilter.exec(filter) ?? []
  return account?.toLowerCase() === accountId ? (suite ?? null) : null
}

/** `filter`: the client gets its ids back as it wrote them. */
export function topicOf(filter: string, { sequenceId, checkRunId, subtopic }: SuiteMessage): string {
  const root = filter.split('/').slice(0, 4).join('/')
  return `${root}/${sequenceId}/${checkRunId}/${subtopic}`
}
