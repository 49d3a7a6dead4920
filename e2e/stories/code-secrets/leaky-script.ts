// A script that leaks its secrets everywhere it can, and then fails.

/** `SHOP_TOKEN` and `FILE_TOKEN` are secret variables; the third is created at run time. */
export const lateSecret = 'midnight:inkwell 58'

export const leakyScript = `import { test, expect } from '@playwright/test'
import { writeFileSync } from 'node:fs'

process.env.SERVICE_SECRET_LATE = ['midnight', 'inkwell 58'].join(':')
const { SHOP_URL, SHOP_TOKEN, FILE_TOKEN } = process.env
const LATE = process.env.LATE ?? process.env.SERVICE_SECRET_LATE
const all = [SHOP_TOKEN, FILE_TOKEN, LATE]
const text = all.join(' and ')
const encoded = all.flatMap((one) => [
  encodeURIComponent(one), Buffer.from(one).toString('base64'), Buffer.from('user:' + one).toString('base64'),
  Buffer.from(one).toString('hex'), JSON.stringify(one),
])

test('a title with ' + FILE_TOKEN + ' and ' + LATE, async ({ page, request }, testInfo) => {
  page.on('console', (message) => console.log('page says', message.text()))
  await page.setExtraHTTPHeaders({ 'x-token': encodeURIComponent(SHOP_TOKEN), authorization: 'Bearer ' + FILE_TOKEN })
  await test.step('step ' + text, async () => {
    await page.goto(SHOP_URL + '/search?q=' + encodeURIComponent(text))
  })
  await page.evaluate((title) => { document.title = title; console.error(title); document.body.append(title) }, text)
  const basic = 'Basic ' + Buffer.from('alice:' + SHOP_TOKEN).toString('base64')
  await request.post(SHOP_URL + '/api/mirror', { data: { text, encoded }, headers: { authorization: basic } })
  await page.evaluate((body) => fetch('/api/mirror', { method: 'POST', body }).then((response) => response.text()), text + encoded.join())
  await page.getByLabel('Search').fill(LATE)
  writeFileSync('evidence-' + FILE_TOKEN + '.txt', [text, ...encoded].join('\\n'))
  writeFileSync('evidence.json', JSON.stringify({ [SHOP_TOKEN]: encoded, text }))
  await testInfo.attach('attached ' + FILE_TOKEN, { body: text, contentType: 'text/plain' })
  await page.screenshot({ path: 'picture-' + FILE_TOKEN + '.png' })
  console.log(text)
  console.error(...encoded)
  await expect.soft(page).toHaveTitle('not ' + text, { timeout: 200 })
  throw new Error('wrong: ' + text + ' ' + encoded.join(' '))
})
`

/** As a plain script with its own browser. */
export const leakyPlainScript = `const { chromium } = require('playwright')
process.env.SERVICE_SECRET_LATE = ['midnight', 'inkwell 58'].join(':')
const { SHOP_URL, SHOP_TOKEN, FILE_TOKEN, SERVICE_SECRET_LATE } = process.env
const browser = await chromium.launch()
const page = await browser.newPage()
await page.goto(SHOP_URL + '/search?q=' + encodeURIComponent(SERVICE_SECRET_LATE + SHOP_TOKEN))
await page.screenshot({ path: 'plain-' + FILE_TOKEN + '.png' })
console.log(SHOP_TOKEN, Buffer.from(SERVICE_SECRET_LATE).toString('hex'))
throw new Error('plainly wrong: ' + SHOP_TOKEN + SERVICE_SECRET_LATE)
`
