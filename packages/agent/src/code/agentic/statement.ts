// An action as one line of a Playwright script: the browser executes the same line that the script contains. Pure.
import type { Action, Assertion, Target } from './action.ts'
import { templateParts } from './variables.ts'

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
  switch (kind) {
    case 'text_visible':
    case 'visible':
      return `expect(${found}).toBeVisible()`
    case 'text_hidden':
    case 'hidden':
      return `expect(${found}).toBeHidden()`
    case 'url_contains':
      return `expect.poll(() => page.url()).toContain(${literal(expected)})`
    case 'url_is':
      return `expect(page).toHaveURL(${literal(expected)})`
    case 'title_contains':
      return `expect.poll(() => page.title()).toContain(${literal(expected)})`
    case 'title_is':
      return `expect(page).toHaveTitle(${literal(expected)})`
    case 'enabled':
      return `expect(${found}).toBeEnabled()`
    case 'disabled':
      return `expect(${found}).toBeDisabled()`
    case 'checked':
      return `expect(${found}).toBeChecked()`
    case 'unchecked':
      return `expect(${found}).not.toBeChecked()`
    case 'value_is':
      return `expect(${found}).toHaveValue(${literal(expected)})`
    case 'contains_text':
      return `expect(${found}).toContainText(${literal(expected)})`
    case 'count_is':
      return `expect(${found}).toHaveCount(${Number(expected)})`
  }
}

/** An expression for the actual value, shown beside the expected one. */
export function actualOf({ kind, target, expected = '' }: Assertion): string {
  const found = target ? locator(target) : `page.getByText(${literal(expected)})`
  const first = `${found}.first()`
  switch (kind) {
    case 'text_visible':
    case 'text_hidden':
    case 'visible':
    case 'hidden':
      return `(await ${first}.isVisible()) ? 'visible' : 'hidden'`
    case 'url_contains':
    case 'url_is':
      return 'page.url()'
    case 'title_contains':
    case 'title_is':
      return 'await page.title()'
    case 'enabled':
    case 'disabled':
      return `(await ${first}.isEnabled({ timeout: 1_000 })) ? 'enabled' : 'disabled'`
    case 'checked':
    case 'unchecked':
      return `(await ${first}.isChecked({ timeout: 1_000 })) ? 'checked' : 'unchecked'`
    case 'value_is':
      return `await ${first}.inputValue({ timeout: 1_000 })`
    case 'contains_text':
      return `await ${first}.innerText({ timeout: 1_000 })`
    case 'count_is':
      return `String(await ${found}.count())`
  }
}

const finders = {
  label: 'getByLabel',
  text: 'getByText',
  placeholder: 'getByPlaceholder',
  altText: 'getByAltText',
  title: 'getByTitle',
} as const

function locator({ within, ...target }: Target): string {
  return element(target, within ? element(within, 'page') : 'page')
}

function element({ by, value, name, exact, hasText, nth }: Omit<Target, 'within'>, root: string): string {
  const exactly = exact ? ['exact: true'] : []
  let found: string
  if (by === 'role') {
    const named = name ? [`name: ${literal(name)}`, ...exactly] : []
    found = `${root}.getByRole(${quote(value)}${options(named)})`
  } else if (by === 'testId') found = `${root}.getByTestId(${literal(value)})`
  else found = `${root}.${finders[by]}(${literal(value)}${options(exactly)})`
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
  const [only] = parts
  if (parts.length === 1 && only) {
    return 'variable' in only ? `process.env.${only.variable} ?? ''` : quote(only.text)
  }
  const inner = parts.map((part) =>
    'variable' in part
      ? `\${process.env.${part.variable}}`
      : escapeText(part.text).replaceAll('`', '\\`').replaceAll('${', '\\${'),
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
