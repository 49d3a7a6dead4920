// The scripts of the browser benchmark, each for the test runner and as a plain script.

export const scripts = {
  trivial: {
    test: `import { test, expect } from '@playwright/test'
test('opens', async ({ page }) => {
  await page.goto(process.env.SHOP_URL + '/')
  await expect(page).toHaveTitle('Shop')
})
`,
    plain: `const { chromium } = require('playwright')
const browser = await chromium.launch()
const page = await browser.newPage()
await page.goto(process.env.SHOP_URL + '/')
if ((await page.title()) !== 'Shop') throw new Error('another title')
await browser.close()
`,
  },
  'three steps': {
    test: `import { test, expect } from '@playwright/test'
test('orders', async ({ page }) => {
  await test.step('home', async () => {
    await page.goto(process.env.SHOP_URL + '/')
    await expect(page).toHaveTitle('Shop')
  })
  await test.step('product', async () => {
    await page.getByRole('link', { name: 'Socks' }).click()
    await expect(page.getByRole('heading')).toHaveText('Socks')
  })
  await test.step('cart', async () => {
    await page.getByLabel('Amount').fill('2')
    await page.getByRole('button', { name: 'Buy' }).click()
    await expect(page.getByText('2 in the cart')).toBeVisible()
  })
})
`,
    plain: `const { chromium } = require('playwright')
const browser = await chromium.launch()
const page = await browser.newPage()
await page.goto(process.env.SHOP_URL + '/')
if ((await page.title()) !== 'Shop') throw new Error('another title')
await page.getByRole('link', { name: 'Socks' }).click()
await page.getByLabel('Amount').fill('2')
await page.getByRole('button', { name: 'Buy' }).click()
await page.getByText('2 in the cart').waitFor()
await browser.close()
`,
  },
} as const
