import { describe, expect, it } from 'vitest'
import { expectationOf } from './expectation.ts'

const text = { subject: "locator('h1')", matcher: 'to have text' }
const differing = {
  expected: '"Welcome, Ann"',
  received: '"Oops, something went wrong"',
  isMissing: false,
  timeoutMs: 5000,
}

describe('the failure of an expect', () => {
  it.each([
    [
      '1.28',
      `Error: expect(received).toHaveText(expected)

Expected string: "Welcome, Ann"
Received string: "Oops, something went wrong"
Call log:
  - expect.toHaveText with timeout 5000ms
  - waiting for locator('h1')
  -   locator resolved to <h1>Oops, something went wrong</h1>
  -   unexpected value "Oops, something went wrong"`,
    ],
    [
      '1.40',
      `Error: Timed out 5000ms waiting for expect(locator).toHaveText(expected)

Locator: locator('h1')
Expected string: "Welcome, Ann"
Received string: "Oops, something went wrong"
Call log:
  - expect.toHaveText with timeout 5000ms
  - waiting for locator('h1')
  -   locator resolved to <h1>Oops, something went wrong</h1>
  -   unexpected value "Oops, something went wrong"`,
    ],
    [
      '1.60',
      `Error: expect(locator).toHaveText(expected) failed

Locator:  locator('h1')
Expected: "Welcome, Ann"
Received: "Oops, something went wrong"
Timeout:  5000ms

Call log:
  - Expect "toHaveText" with timeout 5000ms
  - waiting for locator('h1')
    9 × locator resolved to <h1>Oops, something went wrong</h1>
      - unexpected value "Oops, something went wrong"`,
    ],
  ])('has both values in the wording of %s', (_version, message) => {
    expect(expectationOf(message)).toEqual({ ...text, ...differing })
    expect(expectationOf(`2 of 3 tests failed. shop › greets: ${message}`)).toEqual({ ...text, ...differing })
    expect(expectationOf(`Error: the greeting\n\n${message.replace('Error: ', '')}`)).toMatchObject(differing)
  })

  it.each([
    [
      '1.28',
      `Error: expect(received).toBeVisible()
Call log:
  - expect.toBeVisible with timeout 5000ms
  - waiting for locator('h1')`,
    ],
    [
      '1.28, text',
      `Error: Timed out 5000ms waiting for expect(received).toHaveText(expected)

Expected string: "Welcome, Ann"
Received string: ""
Call log:
  - expect.toHaveText with timeout 5000ms
  - waiting for locator('h1')`,
    ],
    [
      '1.50',
      `Error: Timed out 5000ms waiting for expect(locator).toBeVisible()

Locator: locator('h1')
Expected: visible
Received: <element(s) not found>
Call log:
  - expect.toBeVisible with timeout 5000ms
  - waiting for locator('h1')`,
    ],
    [
      '1.60',
      `Error: expect(locator).toBeVisible() failed

Locator: locator('h1')
Expected: visible
Timeout: 5000ms
Error: element(s) not found

Call log:
  - Expect "toBeVisible" with timeout 5000ms
  - waiting for locator('h1')`,
    ],
  ])('is a missing element in the wording of %s', (_version, message) => {
    expect(expectationOf(message)).toMatchObject({
      subject: "locator('h1')",
      isMissing: true,
      timeoutMs: 5000,
    })
  })

  it('knows pages, negated matchers, counts, plain values and diffs', () => {
    const url = `Error: expect(page).toHaveURL(expected) failed

Expected: "http://shop.test/account"
Received: "http://shop.test/login"
Timeout:  5000ms

Call log:
  - Expect "toHaveURL" with timeout 5000ms
    9 × unexpected value "http://shop.test/login"`
    expect(expectationOf(url)).toMatchObject({
      subject: 'the page',
      matcher: 'to have URL',
      expected: '"http://shop.test/account"',
      received: '"http://shop.test/login"',
      isMissing: false,
    })
    const hidden = `Error: expect(locator).not.toBeVisible() failed\n\nLocator: locator('.error')\nExpected: not visible\nReceived: visible\nTimeout: 5000ms\n\nCall log:\n  - waiting for locator('.error')\n    9 × locator resolved to <p>\n`
    expect(expectationOf(hidden)).toMatchObject({
      matcher: 'not to be visible',
      expected: 'visible',
      received: 'visible',
    })
    const count = `Error: expect(locator).toHaveCount(expected) failed\n\nLocator:  locator('li')\nExpected: 3\nReceived: 0\nTimeout:  5000ms\n\nCall log:\n  - waiting for locator('li')\n    9 × locator resolved to 0 elements\n      - unexpected value "0"`
    expect(expectationOf(count)).toMatchObject({ expected: '3', received: '0', isMissing: false })
    const value =
      'Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 200\nReceived: 503'
    expect(expectationOf(value)).toMatchObject({ subject: 'the value', matcher: 'to be', received: '503' })
    const diff = `Error: expect(locator).toHaveText(expected) failed\n\nLocator: locator('li')\nTimeout: 5000ms\n- Expected  - 1\n+ Received  + 1\n\n  Array [\n-   "Milk",\n+   "Oat milk",\n  ]\n\nCall log:\n  - locator resolved to 1 element`
    expect(expectationOf(diff)).toMatchObject({ expected: '"Milk",', received: '"Oat milk",' })
    const poll =
      'Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 200\nReceived: 503\n\nCall Log:\n- Timeout 5000ms exceeded while waiting on the predicate'
    expect(expectationOf(poll)).toMatchObject({ expected: '200', received: '503', isMissing: false })
  })

  it.each([
    'TimeoutError: page.goto: Timeout 30000ms exceeded.\nCall log:\n  - navigating to "http://shop.test/"',
    'Test timeout of 30000ms exceeded.',
    "Test timeout of 30000ms exceeded.\n\nError: expect(locator).toBeVisible() failed\n\nLocator: locator('h1')",
    "TimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for getByText('expect(page).toHaveURL')",
    'Error: page.goto: net::ERR_NAME_NOT_RESOLVED at https://shop.test/',
  ])('is not what this is: %s', (message) => {
    expect(expectationOf(message)).toBeNull()
  })

  it('is found in bounded time in hostile text', () => {
    expect(expectationOf(`expect(${'('.repeat(100_000)}`)).toBeNull()
    expect(expectationOf('\n'.repeat(1_000_000))).toBeNull()
  })
})
