import { describe, expect, it } from 'vitest'
import { failureOf } from './playwright-messages.ts'

describe('the failure of a test', () => {
  it.each([
    ['Error: Timed out 5000ms waiting for expect(locator).toHaveText(expected)', 'assertion'],
    [
      'Error: expect(locator).toBeVisible() failed\n\nTimeout: 5000ms\nError: element(s) not found',
      'assertion',
    ],
    ['AssertionError [ERR_ASSERTION]: 1 == 2', 'assertion'],
    ['Test timeout of 30000ms exceeded.', 'timeout'],
    ['Test timeout of 30000ms exceeded.\n\nError: expect(locator).toBeVisible() failed', 'timeout'],
    ['TimeoutError: page.goto: Timeout 30000ms exceeded.', 'timeout'],
    ['ReferenceError: nope is not defined', 'script'],
  ])('%j is of the kind %s', (message, kind) => {
    expect(failureOf(message)).toMatchObject({ kind, message })
  })
})
