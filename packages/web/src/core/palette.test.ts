import { expect, it } from 'vitest'
import { matchesWords } from './match-words.ts'
import { addRecent } from './recent-items.ts'

it('finds actions by the beginnings of their words', () => {
  expect(matchesWords('Mute this check for 1 h', 'mu ch')).toBe(true)
  expect(matchesWords('Create a check: DNS', 'dns')).toBe(true)
  expect(matchesWords('Theme: dark', 'theme: dark')).toBe(true)
  expect(matchesWords('Create a check: DNS', 'ns')).toBe(false)
  expect(matchesWords('Go to Home', '')).toBe(true)
})

it('keeps the last items, each once', () => {
  const items = Array.from({ length: 8 }, (_, index) => ({ path: `/checks/${index}`, name: `${index}` }))
  const next = addRecent(items, { path: '/checks/3', name: 'renamed' })
  expect(next).toHaveLength(8)
  expect(next[0]).toEqual({ path: '/checks/3', name: 'renamed' })
  expect(addRecent(items, { path: '/checks/x', name: 'x' })).toHaveLength(8)
})
