// A project as code: checks of a site that pass, fail, are slow, recover at the second attempt, or hang.
const config = `import { defineConfig } from 'checkly'
export default defineConfig({
  projectName: 'Shop',
  logicalId: 'shop',
  checks: {
    locations: ['us-east-1'],
    runtimeId: '2026.04',
    checkMatch: '**/__checks__/**/*.check.ts',
    browserChecks: { testMatch: '**/__checks__/**/*.spec.ts' },
  },
  cli: { runLocation: 'eu-west-1' },
})
`

/** \`url\`: of the site. */
export function shopProject(url: string): Record<string, string> {
  return {
    'package.json': JSON.stringify({ name: 'shop', private: true, version: '1.0.0' }),
    'checkly.config.ts': config,
    '__checks__/shop.check.ts': `import {
  ApiCheck, AssertionBuilder, CheckGroupV2, TcpMonitor, UrlAssertionBuilder, UrlMonitor,
} from 'checkly/constructs'

const group = new CheckGroupV2('group', {
  name: 'Group',
  environmentVariables: [{ key: 'FROM_GROUP', value: 'of the group' }],
})
const get = (path: string) => ({ url: '${url}' + path, method: 'GET' as const })
const isFound = [AssertionBuilder.statusCode().equals(200)]

new UrlMonitor('home', {
  name: 'Home',
  tags: ['quick'],
  request: { url: '${url}/', assertions: [UrlAssertionBuilder.statusCode().equals(200)] },
})
new TcpMonitor('port', { name: 'Port', tags: ['quick'], request: { hostname: '${new URL(url).hostname}', port: ${new URL(url).port} } })
new ApiCheck('grouped', {
  name: 'Grouped',
  group,
  tags: ['quick'],
  request: { ...get('/echo?who={{WHO}}'), assertions: isFound },
  setupScript: { content: "request.headers['x-group'] = process.env.FROM_GROUP" },
})
new ApiCheck('scripted', {
  name: 'Scripted',
  tags: ['scripted'],
  request: { ...get('/echo'), assertions: isFound },
  setupScript: { entrypoint: './scripts/setup.ts' },
  tearDownScript: { entrypoint: './scripts/teardown.ts' },
})
new ApiCheck('missing', { name: 'Missing', tags: ['missing'], request: { ...get('/missing'), assertions: isFound } })
new ApiCheck('slow', { name: 'Slow', tags: ['slow'], degradedResponseTime: 1, maxResponseTime: 20000, request: get('/slow') })
new ApiCheck('flaky', { name: 'Flaky', tags: ['flaky'], request: { ...get('/flaky'), assertions: isFound } })
new ApiCheck('hanging', { name: 'Hanging', tags: ['hanging'], maxResponseTime: 30000, request: get('/hanging') })
`,
    '__checks__/visual.spec.ts': `import { test, expect } from '@playwright/test'

test('looks the same', async ({ page }) => {
  await page.goto('${url}/visual')
  await expect(page).toHaveScreenshot('page.png')
})
`,
    '__checks__/scripts/setup.ts': `import { sign } from './sign'
import { answer } from '../lib/answer'
request.headers['x-signed'] = sign(String(answer()))
`,
    '__checks__/scripts/teardown.ts': `import { sign } from './sign'
console.log(sign('teardown'))
`,
    '__checks__/scripts/sign.ts': "export const sign = (text: string) => 'signed-' + text\n",
    '__checks__/lib/answer.ts': 'export const answer = () => 42\n',
    '__checks__/home.spec.ts': `import { test, expect } from '@playwright/test'
import { EOL } from 'node:os'
import { answer } from './lib/answer'

test('home', async ({ page }) => {
  await page.goto('${url}/page')
  expect(answer()).toBe(42)
  expect(EOL).toBe('\\n')
  await expect(page.getByText('A shop')).toBeVisible()
})
`,
  }
}

/** A project with Playwright tests of its own. */
export function suiteProject(url: string): Record<string, string> {
  const devDependencies = { '@playwright/test': '1.65.0' }
  return {
    'package.json': JSON.stringify({ name: 'suite', private: true, version: '1.0.0', devDependencies }),
    'checkly.config.ts': `import { defineConfig } from 'checkly'
export default defineConfig({
  projectName: 'Suite',
  logicalId: 'suite',
  checks: { playwrightConfigPath: './playwright.config.ts' },
  cli: { runLocation: 'eu-west-1' },
})
`,
    'playwright.config.ts': `import { defineConfig } from '@playwright/test'
export default defineConfig({ testDir: './tests', projects: [{ name: 'chromium', use: { browserName: 'chromium' } }] })
`,
    'tests/page.spec.ts': `import { test, expect } from '@playwright/test'

test('has a heading @smoke', async ({ page }) => {
  console.log('a line of the suite')
  await page.goto('${url}/page')
  await expect(page.getByText('A shop')).toBeVisible()
})
test('is left out', () => { throw new Error('not this one') })
`,
  }
}
