import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanErrorMessage, errorGroupOf } from './error-group.ts'

const red = '\u001b[31m'
const off = '\u001b[39m'

const assertionError = (
  expected: string,
  received: string,
  line: number,
) => `${red}Error: ${off}expect(\u001b[31mreceived\u001b[39m).toHaveText(expected)

Expected string: ${red}"${expected}"${off}
Received string: ${red}"${received}"${off}
Call log:
  - expect.toHaveText with timeout 5000ms
  - waiting for locator('h1')
    - locator resolved to <h1>${received}</h1>

   ${line - 1} |   await page.goto('/')
>  ${line} |   await expect(page.locator('h1')).toHaveText('${expected}')
      |                                    ^
   ${line + 1} | })
    at /check/script.spec.ts:${line}:36
    at async Promise.all (index 0)`

describe('a cleaned message', () => {
  it.each([
    ['colours', `${red}Error:${off} broken`, 'Error: broken'],
    ['colours that lost their escape', '[31mError:[39m broken [2m(now)[22m', 'Error: broken (now)'],
    ['colours written out', String.raw`\u001b[31mError:\x1b[39m broken`, 'Error: broken'],
    ['terminal links', '\u001b]8;;https://a.b\u0007here\u001b]8;;\u0007 it broke', 'here it broke'],
    ['other control characters', 'Error:\u0000 bro\u0007ken\r\nbadly', 'Error: broken badly'],
    [
      'stacks',
      'TypeError: x is undefined\n    at run (/a/b.ts:1:2)\n    at async /c.ts:3:4',
      'TypeError: x is undefined',
    ],
    [
      'stacks without positions',
      'Error: a\n    at new Promise (<anonymous>)\n    at Array.map (native)',
      'Error: a',
    ],
    ['stacks of other browsers', 'Error: a\nrun@https://x.y/z.js:1:2\n@debugger:3:4', 'Error: a'],
    [
      'stacks between causes',
      'Error: a\n  at x:1:2\nCaused by: Error: b\n  at y:3:4',
      'Error: a Caused by: Error: b',
    ],
    ['compared values', 'Error: not equal\nExpected: 200\nReceived: 500', 'Error: not equal'],
    [
      'compared texts of many lines',
      'Error: a\nReceived string: "one\ntwo\nthree"\nthe end',
      'Error: a the end',
    ],
    ['a text that never ends', 'Error: a\nReceived: "one\ntwo', 'Error: a'],
    [
      'differences',
      'Error: a\n\n- Expected  - 1\n+ Received  + 1\n\n  Object {\n-   "a": 1,\n+   "a": 2,\n  }',
      'Error: a',
    ],
    ['old logs', 'Error: a\n===== logs =====\nwaiting for x\n=====\nthe end', 'Error: a the end'],
    ['UUIDs', 'no user 7D8F3B7E-52c1-4a57-9b38-8d4f5a3c2e10', 'no user <uuid>'],
    ['hashes', 'commit 9e518a1c is gone, 0xDEADBEEF too', 'commit <hex> is gone, <hex> too'],
    ['ids', 'session sess_8Zk2mQ94Lp01xY not found', 'session <id> not found'],
    ['numbers', 'Timeout 30000ms exceeded, 1,234.5 of -7', 'Timeout <n>ms exceeded, <n> of <n>'],
    [
      'all numbers but a status',
      'status code 404, then the status was 502 in 200 ms',
      'status code 404, then the status was 502 in <n> ms',
    ],
    [
      'the status in the words of agents',
      'Expected a status code below 400, but it was 502. Expected the status code to equal 200, but it was 404.',
      'Expected a status code below 400, but it was 502. Expected the status code to equal 200, but it was 404.',
    ],
    ['what only looks like a status', 'status 4040, status was 200.5', 'status <n>, status was <n>'],
    ['instants', 'at 2026-11-15T04:38:33.123Z and 2026-11-15 04:38:33+01:00', 'at <time> and <time>'],
    ['dates', 'expired on 2026-11-15', 'expired on <time>'],
    ['dates of HTTP', 'since Sun, 15 Nov 2026 04:38:33 GMT', 'since <time>'],
    ['dates of scripts', 'since Sun Nov 15 2026 04:38:33 GMT+0000', 'since <time>'],
    ['times of day', 'it was 04:38:33.5 PM (then)', 'it was <time> (then)'],
    ['double quotes', 'no element "save \\"all\\"" here', 'no element <text> here'],
    [
      'single quotes',
      "locator('h1') can't find the user's 'x'",
      "locator(<text>) can't find the user's <text>",
    ],
    ['back quotes', 'no `thing` and no “other”', 'no <text> and no <text>'],
    ['addresses', 'connect ECONNREFUSED 10.0.0.1:443', 'connect ECONNREFUSED <ip>'],
    ['IPv6 addresses', 'no way to ::1, [::1] or [2001:db8::2]:80', 'no way to <ip>, <ip> or <ip>'],
    [
      'parts of paths',
      'GET https://API.example.com/users/42/orders/a1?x=1#y failed',
      'GET https://api.example.com/users/*/orders/* failed',
    ],
    ['credentials', 'GET https://me:secret@example.com/ failed', 'GET https://example.com/ failed'],
    ['full stops after an address', 'See https://example.com/help.', 'See https://example.com/help.'],
    ['spaces', '  a \n\n\t b  ', 'a b'],
  ])('is without %s', (_, message, expected) => {
    expect(cleanErrorMessage(message)).toBe(expected)
  })

  it.each([
    ['prose that begins like a stack', 'at least one assertion failed', 'at least one assertion failed'],
    ['prose that begins like a value', 'Expected status to be fine', 'Expected status to be fine'],
    ['names of errors', 'getaddrinfo ENOTFOUND api.example.com', 'getaddrinfo ENOTFOUND api.example.com'],
    ['words of hex letters', 'the facade is a decade old', 'the facade is a decade old'],
    ['long names', 'strict-origin-when-cross-origin', 'strict-origin-when-cross-origin'],
    ['the values, where there is nothing else', 'Expected: 5', 'Expected: <n>'],
    ['the stack, where there is nothing else', '  at run (/a/b.ts:1:2)', 'at run (/a/b.ts:<n>:<n>)'],
    ['a word for nothing at all', ' \n ', 'Error without a message'],
  ])('keeps %s', (_, message, expected) => {
    expect(cleanErrorMessage(message)).toBe(expected)
  })

  it('is at most 1,000 characters long and always storable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (message) => {
        const cleaned = cleanErrorMessage(message)
        expect(cleaned.length).toBeGreaterThan(0)
        expect(cleaned.length).toBeLessThanOrEqual(1_000)
        expect(cleaned.isWellFormed()).toBe(true)
        expect(cleaned).not.toContain('\u0000')
      }),
    )
  })
})

describe('an error group', () => {
  it('is one for the same assertion with other values and at another line', () => {
    const first = errorGroupOf(assertionError('Hello', 'Bye', 12))
    expect(first.cleanedErrorMessage).toBe('Error: expect(received).toHaveText(expected)')
    expect(errorGroupOf(assertionError('Shop', 'Maintenance', 340))).toEqual(first)
  })

  it.each([
    ['ports and addresses', 'connect ECONNREFUSED 10.0.0.1:443', 'connect ECONNREFUSED 192.168.7.20:8443'],
    ['milliseconds', 'Timeout 5000ms exceeded.', 'Timeout 30000ms exceeded.'],
    ['ids in paths', 'GET https://x.y/a/1 failed', 'GET https://x.y/a/2?retry=1 failed'],
    ['colours', `${red}Error: broken${off}`, 'Error: broken'],
  ])('is one whatever the %s', (_, one, other) => {
    expect(errorGroupOf(one)).toEqual(errorGroupOf(other))
  })

  it('is another one for another message', () => {
    const hash = (message: string) => errorGroupOf(message).errorHash
    expect(hash('getaddrinfo ENOTFOUND a.example')).not.toBe(hash('getaddrinfo ENOTFOUND b.example'))
  })

  it('is named by the SHA-256 of its cleaned message', () => {
    const { cleanedErrorMessage, errorHash } = errorGroupOf('Timeout 5000ms exceeded — ähm')
    expect(errorHash).toBe(createHash('sha256').update(cleanedErrorMessage, 'utf8').digest('hex'))
  })
})

/** Messages of the test runner: the values differ from run to run. */
const browserErrors: [string, string, string, string][] = [
  [
    'a time-out of an action',
    `TimeoutError: page.click: Timeout 5000ms exceeded.
Call log:
  - waiting for locator('#buy-4711')
    - locator resolved to <button disabled id="buy-4711">Buy</button>
  - attempting click action
    2 × waiting for element to be visible, enabled and stable
      - element is not enabled
    - retrying click action
`,
    `TimeoutError: page.click: Timeout 30000ms exceeded.
Call log:
  - waiting for locator('#buy-4712')
`,
    'TimeoutError: page.click: Timeout <n>ms exceeded.',
  ],
  [
    'an expectation of a locator',
    `Error: \u001b[2mexpect(\u001b[22m\u001b[31mlocator\u001b[39m\u001b[2m).\u001b[22mtoBeVisible\u001b[2m()\u001b[22m failed

Locator: getByRole('button', { name: 'Order 17' })
Expected: visible
Timeout: 5000ms
Error: element(s) not found

Call log:
\u001b[2m  - Expect "toBeVisible" with timeout 5000ms\u001b[22m
\u001b[2m  - waiting for getByRole('button', { name: 'Order 17' })\u001b[22m

  3 | test('orders', async ({ page }) => {
> 4 |   await expect(page.getByRole('button', { name: 'Order 17' })).toBeVisible()
    |                                                                ^
  5 | })
    at /work/script.spec.ts:4:64`,
    `Error: expect(locator).toBeVisible() failed

Locator: getByRole('button', { name: 'Order 18' })
Expected: visible
Timeout: 10000ms
Error: element(s) not found

Call log:
  - Expect "toBeVisible" with timeout 10000ms
    at /work/tests/orders.spec.ts:40:12`,
    'Error: expect(locator).toBeVisible() failed Locator: getByRole(<text>, { name: <text> }) Timeout: <n>ms Error: element(s) not found',
  ],
  [
    'more elements than one',
    `Error: locator.click: Error: strict mode violation: locator('button') resolved to 2 elements:
    1) <button id="a">Buy 3 apples</button> aka getByRole('button', { name: 'Buy 3 apples' })
    2) <button id="b">Sell</button> aka getByText('Sell')

Call log:
  - waiting for locator('button')
`,
    `Error: locator.click: Error: strict mode violation: locator('button') resolved to 12 elements:
    1) <button>Pears</button> aka getByRole('button').first()
    2) <button>Plums</button> aka getByRole('button').nth(1)
    ...

Call log:
  - waiting for locator('button')
`,
    'Error: locator.click: Error: strict mode violation: locator(<text>) resolved to <n> elements:',
  ],
  [
    'a title',
    'Error: expect(page).toHaveTitle(expected) failed\n\nExpected pattern: /Shop/\nReceived string:  "Maintenance"\nTimeout: 5000ms\n\nCall log:\n  - Expect "toHaveTitle" with timeout 5000ms\n    9 × unexpected value "Maintenance"\n',
    'Error: expect(page).toHaveTitle(expected) failed\n\nExpected pattern: /Shop/\nReceived string:  ""\nTimeout: 7000ms\n',
    'Error: expect(page).toHaveTitle(expected) failed Timeout: <n>ms',
  ],
  [
    'a navigation',
    'Error: page.goto: net::ERR_NAME_NOT_RESOLVED at https://shop.example.com/orders/17?x=1\nCall log:\n  - navigating to "https://shop.example.com/orders/17?x=1", waiting until "load"\n\n    at /work/script.spec.ts:4:14',
    'Error: page.goto: net::ERR_NAME_NOT_RESOLVED at https://shop.example.com/orders/18\nCall log:\n  - navigating to "https://shop.example.com/orders/18", waiting until "load"\n',
    'Error: page.goto: net::ERR_NAME_NOT_RESOLVED at https://shop.example.com/orders/*',
  ],
  [
    'a test that took too long',
    'Test timeout of 30000ms exceeded while running "beforeEach" hook.',
    '\u001b[31mTest timeout of 60000ms exceeded while running "beforeEach" hook.\u001b[39m',
    'Test timeout of <n>ms exceeded while running <text> hook.',
  ],
  [
    'a test among others that failed',
    '3 of 12 tests failed. shop › buys: Error: expect(received).toBe(expected)',
    'shop › buys: Error: expect(received).toBe(expected)\n\nExpected: 1\nReceived: 2',
    'shop › buys: Error: expect(received).toBe(expected)',
  ],
  [
    'pictures that differ',
    'Error: expect(page).toHaveScreenshot(expected) failed\n\n  1234 pixels (ratio 0.02 of all image pixels) are different.\n\n  Snapshot: home.png\n\nCall log:\n  - Expect "toHaveScreenshot(home.png)" with timeout 5000ms\n',
    'Error: expect(page).toHaveScreenshot(expected) failed\n\n  77 pixels (ratio 0.01 of all image pixels) are different.\n\n  Snapshot: home.png\n',
    'Error: expect(page).toHaveScreenshot(expected) failed <n> pixels (ratio <n> of all image pixels) are different. Snapshot: home.png',
  ],
]

describe('an error of a browser test', () => {
  it.each(browserErrors)('is the same one in the next run: %s', (_, one, other, expected) => {
    expect(cleanErrorMessage(one)).toBe(expected)
    expect(errorGroupOf(other)).toEqual(errorGroupOf(one))
  })

  it('is another one for another action or expectation', () => {
    const hashes = browserErrors.map(([, one]) => errorGroupOf(one).errorHash)
    expect(new Set(hashes).size).toBe(browserErrors.length)
    expect(cleanErrorMessage('TimeoutError: page.fill: Timeout 5000ms exceeded.')).not.toBe(
      cleanErrorMessage('TimeoutError: page.click: Timeout 5000ms exceeded.'),
    )
  })
})

describe('a hostile message of a megabyte', () => {
  const megabyte = (unit: string) => unit.repeat(Math.ceil(1_000_000 / unit.length))

  // There is no time assertion: a pattern that backtracks without limit would exceed the timeout of the test many times over.
  it.each(
    [
      'a',
      '1',
      '"',
      "'",
      '`',
      '\\"',
      "'a",
      '“',
      '\u001b[',
      '\u001b]',
      '\u001b[0;',
      '=',
      '-',
      ':',
      '::',
      '0x',
      '1.',
      '1,',
      '1:',
      '1:1:',
      'http://',
      'http://a/',
      'a+',
      'a.',
      '@',
      '@a:1:',
      'at ',
      'at :1:1',
      '1) <',
      '1) <a\n',
      ' ',
      '\n',
      ' \n',
      '|',
      '> ',
      '> 1 |',
      '| ^',
      'Expected: "',
      'Expected a ',
      'abcdef12',
      'f',
      'f-',
      '12345678-1234-',
      '2026-11-15T',
      'Mon, ',
      '?',
      '%',
      '/',
      '\ud800',
    ].map((unit) => [JSON.stringify(unit), unit] as const),
  )('is cleaned at once: %s', (_, unit) => {
    for (const message of [
      megabyte(unit),
      `at ${megabyte(unit)}!`,
      `"${megabyte(unit)}\n`,
      `'${megabyte(unit)}x`,
    ]) {
      expect(cleanErrorMessage(message).length).toBeLessThanOrEqual(1_000)
    }
  })
})
