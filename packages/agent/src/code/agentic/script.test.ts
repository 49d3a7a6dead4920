import { expect, it } from 'vitest'
import { addStatement, readScript, writeScript } from './script.ts'

it('a script is parsed into the steps that it was written from', () => {
  const steps = [
    {
      title: "It's \\ a \"title\" with 'quotes'\n",
      statements: ["await page.goto('http://a/')", '  await x()'],
    },
    { title: 'Verify: done', statements: ["await expect(page).toHaveTitle('})')"] },
  ]
  expect(readScript(writeScript("Shop's check", steps))).toEqual(steps)
})

it('another script is not parsed', () => {
  expect(readScript("import { test } from '@playwright/test'\ntest('x', async () => {})\n")).toBeNull()
})

it('consecutive actions of one intent are one step', () => {
  const steps = [{ title: 'Open', statements: ['a'] }]
  for (const [title, statement] of [
    ['Open', 'b'],
    ['Buy', 'c'],
    ['Buy', 'd'],
    ['Open', 'e'],
  ] as const) {
    addStatement(steps, title, statement)
  }
  expect(steps).toEqual([
    { title: 'Open', statements: ['a', 'b'] },
    { title: 'Buy', statements: ['c', 'd'] },
    { title: 'Open', statements: ['e'] },
  ])
})
