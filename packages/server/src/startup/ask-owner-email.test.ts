import { expect, it } from 'vitest'
import { askUntilValid } from './ask-owner-email.ts'

const replying = (...replies: string[]) => {
  const asked: string[] = []
  const ask = async (question: string) => {
    asked.push(question)
    return replies.shift() ?? ''
  }
  return { ask, asked }
}

it('accepts an address, asks again if it is invalid, and keeps the current one on Enter', async () => {
  const typo = replying('ann', ' ann@example.com ')
  expect(await askUntilValid(typo.ask, 'owner@localhost.local')).toBe('ann@example.com')
  expect(typo.asked[0]).toBe('Your email address (Enter keeps owner@localhost.local): ')
  expect(typo.asked[1]).toContain('"ann" isn\'t an email address')
  expect(await askUntilValid(replying('').ask, 'owner@localhost.local')).toBe(null)
})
