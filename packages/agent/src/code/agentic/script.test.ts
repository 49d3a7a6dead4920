import { expect, it } from 'vitest'
import { readScript, ScriptSteps, writeScript } from './script.ts'

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

it('actions of one intent are one step, and kept steps do not change', () => {
  const kept = [{ title: 'Open', statements: ['a'] }]
  const steps = new ScriptSteps(kept)
  for (const [title, statement] of [
    ['Open', 'b'],
    ['Buy', 'c'],
    ['Buy', 'd'],
    ['Open', 'e'],
  ] as const) {
    steps.add(title, statement)
  }
  expect(steps.steps).toEqual([
    { title: 'Open', statements: ['a', 'b'] },
    { title: 'Buy', statements: ['c', 'd'] },
    { title: 'Open', statements: ['e'] },
  ])
  expect(kept).toEqual([{ title: 'Open', statements: ['a'] }])
})
