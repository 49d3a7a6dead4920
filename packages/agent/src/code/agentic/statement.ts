// An action as one line of a Playwright script: the browser executes the same line that the script contains. Pure.
import type { Action, Assertion, Target } from './action.ts'
import { isVariable, templateParts } from './variables.ts'

export function statementOf(action: Action): string {
  switch (action.tool) {
    case 'navigate':
      return `await page.goto(${literal(action.url)})`
    case 'click':
      return `await ${locator(action.target)}.click()`
    case 'fill':
      return `await ${locator(action.target)}.fill(${literal(action.value)})`
    case 'select':
      return `await ${locator(action.target)}.selectOption(${literal(action.option)})`
    case 'check':
      return `await ${locator(action.target)}.${action.checked ? 'check' : 'uncheck'}()`
    case 'press':
      return `await ${action.target ? locator(action.target) : 'page.keyboard'}.press(${quote(action.key)})`
    case 'wait_for':
      return `await ${locator(action.target)}.waitFor({ state: ${quote(action.state)} })`
    case 'screenshot':
      return `await page.screenshot({ path: ${quote(screenshotPath(action.description))} })`
    case 'assert':
      return `await ${expectation(action)}`
  }
}

/** Relative to the directory of the script. */
export function screenshotPath(description: string): string {
  const slug = description
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return `screenshots/${slug.slice(0, 60) || 'page'}.png`
}

function expectation({ kind, target, expected = '' }: Assertion): string {
  const found = target ? locator(target) : `page.getByText(${literal(expected)}).first()`
  return assertions[kind].expectation(`expect(${found})`, literal(expected))
}

/** An expression for the actual value, shown beside the expected one. */
export function actualOf({ kind, target, expected = '' }: Assertion): string {
  return assertions[kind].actual(target ? locator(target) : `page.getByText(${literal(expected)})`)
}

interface AssertionCode {
  expectation(found: string, expected: string): string
  actual(found: string): string
}

const stateOf = (method: string, yes: string, no: string) => (found: string) =>
  `(await ${found}.first().${method}) ? '${yes}' : '${no}'`
const visibility = stateOf('isVisible()', 'visible', 'hidden')
const ability = stateOf('isEnabled({ timeout: 1_000 })', 'enabled', 'disabled')
const mark = stateOf('isChecked({ timeout: 1_000 })', 'checked', 'unchecked')
const url = () => 'page.url()'
const title = () => 'await page.title()'
const readBy = (method: string) => (found: string) => `await ${found}.first().${method}({ timeout: 1_000 })`

const isVisible: AssertionCode = { expectation: (found) => `${found}.toBeVisible()`, actual: visibility }
const isHidden: AssertionCode = { expectation: (found) => `${found}.toBeHidden()`, actual: visibility }

const assertions: Record<Assertion['kind'], AssertionCode> = {
  text_visible: isVisible,
  visible: isVisible,
  text_hidden: isHidden,
  hidden: isHidden,
  url_contains: { expectation: (_, text) => `expect.poll(() => page.url()).toContain(${text})`, actual: url },
  url_is: { expectation: (_, text) => `expect(page).toHaveURL(${text})`, actual: url },
  title_contains: {
    expectation: (_, text) => `expect.poll(() => page.title()).toContain(${text})`,
    actual: title,
  },
  title_is: { expectation: (_, text) => `expect(page).toHaveTitle(${text})`, actual: title },
  enabled: { expectation: (found) => `${found}.toBeEnabled()`, actual: ability },
  disabled: { expectation: (found) => `${found}.toBeDisabled()`, actual: ability },
  checked: { expectation: (found) => `${found}.toBeChecked()`, actual: mark },
  unchecked: { expectation: (found) => `${found}.not.toBeChecked()`, actual: mark },
  value_is: { expectation: (found, text) => `${found}.toHaveValue(${text})`, actual: readBy('inputValue') },
  contains_text: {
    expectation: (found, text) => `${found}.toContainText(${text})`,
    actual: readBy('innerText'),
  },
  count_is: {
    expectation: (found, text) => `${found}.toHaveCount(${Number(text.slice(1, -1))})`,
    actual: (found) => `String(await ${found}.count())`,
  },
}

function locator({ within, ...target }: Target): string {
  return element(target, within ? element(within, 'page') : 'page')
}

function element({ by, value, name, exact, hasText, nth }: Omit<Target, 'within'>, root: string): string {
  // getByRole, getByLabel, …
  const finder = `${root}.getBy${by.charAt(0).toUpperCase()}${by.slice(1)}`
  const exactly = exact ? ['exact: true'] : []
  const named = name ? [`name: ${literal(name)}`, ...exactly] : []
  let found =
    by === 'role'
      ? `${finder}(${quote(value)}${options(named)})`
      : `${finder}(${literal(value)}${options(by === 'testId' ? [] : exactly)})`
  if (hasText) found += `.filter({ hasText: ${literal(hasText)} })`
  if (nth !== undefined) found += nth === 0 ? '.first()' : `.nth(${nth})`
  return found
}

function options(given: string[]): string {
  return given.length === 0 ? '' : `, { ${given.join(', ')} }`
}

/** A string literal that reads variables from the environment. */
export function literal(template: string): string {
  const parts = templateParts(template)
  const [text = '', variable, rest] = parts
  if (variable === undefined) return quote(text)
  if (text === '' && rest === '' && parts.length === 3) return `process.env.${variable} ?? ''`
  const inner = parts.map((part, index) =>
    isVariable(part, index)
      ? `\${process.env.${part}}`
      : escapeText(part).replaceAll('`', '\\`').replaceAll('${', '\\${'),
  )
  return `\`${inner.join('')}\``
}

export function quote(text: string): string {
  return `'${escapeText(text).replaceAll("'", "\\'")}'`
}

/** Escaped like JSON, except for quotes: always one line. */
function escapeText(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll(/[\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`)
}
