// A suite that compares a page with a committed screenshot.

const config = `import { defineConfig } from '@playwright/test'
export default defineConfig({
  testDir: 'tests',
  retries: 0,
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  use: { viewport: { width: 800, height: 500 } },
})
`

const spec = `import { test, expect } from '@playwright/test'
test('looks as it did', async ({ page }, testInfo) => {
  await page.goto(process.env.SHOP_URL + '/products/pen')
  await expect(page).toHaveScreenshot('pen.png', { maxDiffPixels: 0 })
  await testInfo.attach('picture', { path: testInfo.snapshotPath('pen.png', { kind: 'screenshot' }) })
})
`

/** `picture`: null if none was committed yet. */
export function visualSuite(picture: Buffer | null): Record<string, string | Buffer> {
  return {
    'playwright.config.ts': config,
    'tests/visual.spec.ts': spec,
    ...(picture && { 'tests/pictures/pen.png': picture }),
  }
}
