// Scripts for the shop, in the styles that users write.

/** A test file: from the shelf to an order. `SHOP_URL` is the address of the shop. */
export const buyInBrowser = `import { test, expect } from '@playwright/test'
import { markCheckAsDegraded } from '@vedette/playwright-helpers'

test.use({ baseURL: process.env.SHOP_URL, actionTimeout: 6000 })

test('buy a pen', async ({ page }) => {
  const home = await page.goto('/')
  await expect(page).toHaveTitle('The writing shop')
  if (home.request().timing().responseStart > 1000) markCheckAsDegraded('the shop is slow')
  await test.step('fill the cart', async () => {
    await page.getByRole('link', { name: 'Fountain pen' }).click()
    await expect(page.getByTestId('price')).toHaveText('€24.00', { timeout: 1000 })
    await page.getByRole('button', { name: 'Add to cart' }).click()
  })
  await expect(page.getByRole('cell', { name: 'Fountain pen' })).toBeVisible()
  await page.getByRole('link', { name: 'Check out' }).click()
  await page.getByLabel('Name').fill('Alice')
  await page.getByLabel('Street').fill('Main Street 1')
  await page.getByLabel('Delivery').selectOption('Bicycle')
  await page.getByRole('button', { name: 'Place order' }).click()
  await expect(page.getByRole('heading')).toHaveText('Thank you, Alice', { timeout: 1000 })
  await page.screenshot({ path: 'thanks.png' })
})
`

/** A plain script that starts its own browser. */
export const signInPlainly = `const { chromium } = require('playwright')
const assert = require('assert')

const browser = await chromium.launch()
const page = await browser.newPage()
await page.goto(process.env.SHOP_URL + '/login')
await page.fill('input[name=user]', 'alice')
await page.fill('input[name=password]', process.env.SHOP_PASSWORD)
await page.click('main button')
const greeting = await page.textContent('nav span', { timeout: 3000 })
assert.strictEqual(greeting, 'Hello, alice')
await page.screenshot({ path: 'signed-in.png' })
console.log('greeted with', greeting)
await browser.close()
`

/** Requests that build on each other, without a browser. */
export const orderInSteps = `import { test, expect } from '@playwright/test'
import { getAPIResponseTime, markCheckAsDegraded } from '@vedette/playwright-helpers'

const shop = process.env.SHOP_URL

test('order over the API', async ({ request }) => {
  const list = await request.get(shop + '/api/products')
  const products = await list.json()
  if (getAPIResponseTime(list) > 1000) markCheckAsDegraded('the list of products is slow')
  const pen = products.find(({ id }) => id === 'pen')
  expect(pen.price).toBe(2400)
  const { token } = await (await request.post(shop + '/api/cart')).json()
  const headers = { authorization: 'Bearer ' + token }
  await test.step('fill the cart', async () => {
    const added = await request.post(shop + '/api/cart/items', { headers, data: { id: pen.id } })
    expect(added.status()).toBe(201)
  })
  const cart = await (await request.get(shop + '/api/cart', { headers })).json()
  expect(cart).toEqual({ items: ['pen'], total: 2400 })
  const order = await request.post(shop + '/api/orders', { headers })
  expect(order.status(), 'the order is accepted').toBe(201)
  const { number } = await order.json()
  console.log('ordered', number)
  expect(await (await request.get(shop + '/api/orders/' + number, { headers })).json()).toMatchObject({ cart: ['pen'] })
})
`

/** The tests of a small suite. */
export const shopSuite = {
  'tests/shelf.spec.ts': `import { test, expect } from '@playwright/test'
import { writeFileSync } from 'node:fs'

test.describe('the shelf', () => {
  test('shows what there is', async ({ page }) => {
    const home = await page.goto(process.env.SHOP_URL + '/')
    // As the helper does it.
    if (home.request().timing().responseStart > 1000)
      writeFileSync('degraded.json', JSON.stringify({ messages: ['the shelf is slow'] }))
    await expect(page.getByTestId('product')).toHaveCount(4)
  })
  test('finds ink', async ({ page }) => {
    await page.goto(process.env.SHOP_URL + '/search?q=ink')
    await expect(page.getByTestId('product')).toContainText(['Blue ink'])
  })
})
`,
  'tests/till.spec.ts': `import { test, expect } from '@playwright/test'

test('the price of a pen', async ({ page }) => {
  await page.goto(process.env.SHOP_URL + '/products/pen')
  await expect(page.getByTestId('price')).toHaveText('€24.00', { timeout: 1000 })
})
`,
} as const
