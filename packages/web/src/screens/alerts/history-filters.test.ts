import { describe, expect, it } from 'vitest'
import { isHistoryFiltered, readHistoryFilters, withFilter, withoutFilters } from './history-filters.ts'

const now = Date.UTC(2026, 10, 16)
const read = (text: string) => readHistoryFilters(new URLSearchParams(text), now)

describe('the filters of the history', () => {
  it('are a week of alerts at first', () => {
    const filters = read('')
    expect(filters).toMatchObject({ view: 'alerts', checkId: null, channelId: null, range: { span: '7d' } })
    expect(isHistoryFiltered(filters)).toBe(false)
  })

  it('ignore what the address has wrong', () => {
    expect(read('view=x&channel=0&status=LOUD&heldBy=x')).toMatchObject({
      ...{ view: 'alerts', channelId: null, status: null, heldBy: null },
    })
  })

  it('are read, changed and removed', () => {
    let search = new URLSearchParams('view=deliveries')
    search = withFilter(search, 'channelId', 7)
    search = withFilter(search, 'status', 'FAILURE')
    expect(search.toString()).toBe('view=deliveries&channel=7&status=FAILURE')
    expect(readHistoryFilters(search, now)).toMatchObject({ channelId: 7, status: 'FAILURE' })
    expect(withoutFilters(search).toString()).toBe('view=deliveries')
    expect(withFilter(search, 'view', 'alerts').toString()).toBe('channel=7&status=FAILURE')
  })

  it('have a reason only for what was held back', () => {
    const search = withFilter(new URLSearchParams('kind=held&heldBy=muted'), 'kind', 'failure')
    expect(search.toString()).toBe('kind=failure')
  })
})
