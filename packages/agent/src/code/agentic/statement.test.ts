import { describe, expect, it } from 'vitest'
import type { Action, Assertion } from './action.ts'
import { literal, quote, screenshotPath, statementOf } from './statement.ts'

const env = (name: string) => `$\{process.env.${name}}`
const button = { by: 'role', value: 'button', name: 'Buy' } as const

describe('an action is one line of a script', () => {
  it.each<[Action, string]>([
    [{ tool: 'navigate', intent: 'i', url: '{{URL}}' }, "await page.goto(process.env.URL ?? '')"],
    [
      { tool: 'click', intent: 'i', target: button },
      "await page.getByRole('button', { name: 'Buy' }).click()",
    ],
    [
      { tool: 'fill', intent: 'i', target: { by: 'label', value: 'Name', exact: true }, value: "O'Neil" },
      "await page.getByLabel('Name', { exact: true }).fill('O\\'Neil')",
    ],
    [
      { tool: 'select', intent: 'i', target: { by: 'testId', value: 'size' }, option: 'XL' },
      "await page.getByTestId('size').selectOption('XL')",
    ],
    [
      { tool: 'check', intent: 'i', target: { by: 'role', value: 'checkbox', nth: 0 }, checked: false },
      "await page.getByRole('checkbox').first().uncheck()",
    ],
    [{ tool: 'press', intent: 'i', key: 'Enter' }, "await page.keyboard.press('Enter')"],
    [
      { tool: 'press', intent: 'i', key: 'Enter', target: { by: 'placeholder', value: 'Search' } },
      "await page.getByPlaceholder('Search').press('Enter')",
    ],
    [
      { tool: 'wait_for', intent: 'i', target: { by: 'text', value: 'Ready', nth: 2 }, state: 'hidden' },
      "await page.getByText('Ready').nth(2).waitFor({ state: 'hidden' })",
    ],
    [
      {
        tool: 'click',
        intent: 'i',
        target: { ...button, within: { by: 'role', value: 'listitem', hasText: 'Pen {{COLOR}}' } },
      },
      `await page.getByRole('listitem').filter({ hasText: \`Pen ${env('COLOR')}\` }).getByRole('button', { name: 'Buy' }).click()`,
    ],
    [
      { tool: 'screenshot', intent: 'i', description: 'The cart!' },
      "await page.screenshot({ path: 'screenshots/the-cart.png' })",
    ],
  ])('%j', (action, line) => {
    expect(statementOf(action)).toBe(line)
  })

  it.each<[Partial<Assertion>, string]>([
    [{ kind: 'text_visible', expected: 'Hi' }, "await expect(page.getByText('Hi').first()).toBeVisible()"],
    [{ kind: 'text_hidden', expected: 'Hi' }, "await expect(page.getByText('Hi').first()).toBeHidden()"],
    [{ kind: 'url_contains', expected: '/cart' }, "await expect.poll(() => page.url()).toContain('/cart')"],
    [{ kind: 'url_is', expected: '{{URL}}' }, "await expect(page).toHaveURL(process.env.URL ?? '')"],
    [{ kind: 'title_is', expected: 'Shop' }, "await expect(page).toHaveTitle('Shop')"],
    [
      { kind: 'enabled', target: button },
      "await expect(page.getByRole('button', { name: 'Buy' })).toBeEnabled()",
    ],
    [
      { kind: 'unchecked', target: { by: 'label', value: 'News' } },
      "await expect(page.getByLabel('News')).not.toBeChecked()",
    ],
    [
      { kind: 'value_is', target: { by: 'label', value: 'Name' }, expected: '1' },
      "await expect(page.getByLabel('Name')).toHaveValue('1')",
    ],
    [
      { kind: 'count_is', target: { by: 'role', value: 'listitem' }, expected: '3' },
      "await expect(page.getByRole('listitem')).toHaveCount(3)",
    ],
  ])('%j', (assertion, line) => {
    expect(statementOf({ tool: 'assert', condition: 'c', ...assertion } as Assertion)).toBe(line)
  })
})

describe('untrusted texts stay string literals', () => {
  const nasty = [
    "'); process.exit(1); ('",
    '`$' + '{process.exit(1)}`',
    '\\',
    "\\'",
    'a\nb\r\u2028c\u2029',
    '"quotes" and $' + '{x}',
    '\u0000',
  ]

  it.each(nasty)('%j', (text) => {
    const read = (code: string) => new Function('process', `return ${code}`)({ env: { NAME: 'value' } })
    expect(read(quote(text))).toBe(text)
    expect(read(literal(`${text}{{NAME}}${text}`))).toBe(`${text}value${text}`)
    expect(quote(text)).not.toMatch(/[\n\r\u2028\u2029]/)
  })
})

it('names of screenshots are plain', () => {
  expect(screenshotPath('../../etc/passwd')).toBe('screenshots/etc-passwd.png')
  expect(screenshotPath('日本')).toBe('screenshots/page.png')
})
