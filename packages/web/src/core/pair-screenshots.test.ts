import { expect, it } from 'vitest'
import { pairScreenshots } from './pair-screenshots.ts'

const named = (...names: string[]) => names.map((name) => ({ name }))
const pairs = (now: string[], before: string[]) =>
  pairScreenshots(named(...now), named(...before)).map((pair) => `${pair.now.name}-${pair.before?.name}`)

it('pairs screenshots by name, and the others in their order', () => {
  expect(pairs(['a', 'b'], ['b', 'a'])).toEqual(['a-a', 'b-b'])
  expect(pairs(['failed', 'cart'], ['cart', 'finished'])).toEqual(['failed-finished', 'cart-cart'])
  expect(pairs(['a', 'b'], [])).toEqual(['a-undefined', 'b-undefined'])
})
