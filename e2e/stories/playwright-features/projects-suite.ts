// A suite with several projects that depend on each other, its own server, and tags.
import { everydaySpec } from './everyday-spec.ts'

export const projectsSuite = {
  'playwright.config.ts': `import { defineConfig, devices } from '@playwright/test'
export default defineConfig({
  testDir: 'tests',
  workers: 2,
  webServer: { command: 'node own-server.mjs', url: 'http://localhost:4173/', timeout: 20_000 },
  projects: [
    { name: 'sign in', testMatch: /sign-in[.]setup[.]ts/ },
    { name: 'signed in', testMatch: /account[.]spec[.]ts/, dependencies: ['sign in'], use: { storageState: 'state.json' } },
    { name: 'desktop', testMatch: /everyday[.]spec[.]ts/ },
    { name: 'phone', testMatch: /phone[.]spec[.]ts/, use: { ...devices['Pixel 7'] } },
  ],
})
`,
  'own-server.mjs': `import { createServer } from 'node:http'
createServer((request, response) => response.end('<h1>Served by the suite</h1>')).listen(4173)
`,
  'tests/sign-in.setup.ts': `import { test as setup, expect } from '@playwright/test'
setup('sign in once', async ({ page }) => {
  await page.goto(process.env.SHOP_URL + '/login')
  await page.getByLabel('User').fill('alice')
  await page.getByLabel('Password').fill('nib and feather')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('Hello, alice')).toBeVisible()
  await page.context().storageState({ path: 'state.json' })
})
`,
  'tests/account.spec.ts': `import { test, expect } from '@playwright/test'
test('projects: is signed in already', async ({ page }) => {
  await page.goto(process.env.SHOP_URL + '/')
  await expect(page.getByText('Hello, alice')).toBeVisible()
})
`,
  'tests/phone.spec.ts': `import { test, expect } from '@playwright/test'
test('projects: a phone', async ({ page, isMobile }) => {
  await page.goto(process.env.SHOP_URL + '/')
  expect(isMobile).toBe(true)
  expect(await page.evaluate(() => navigator.userAgent)).toContain('Android')
})
test('a server of the suite', { tag: '@server' }, async ({ page }) => {
  await page.goto('http://localhost:4173/')
  await expect(page.getByRole('heading')).toHaveText('Served by the suite')
})
test('left out by its tag', { tag: '@nightly' }, async () => {
  throw new Error('only at night')
})
`,
  'tests/everyday.spec.ts': everydaySpec,
}
