import { expect, it } from 'vitest'
import { certificateDays, expiryLimits } from './certificate-days.ts'

const day = 86_400

it('follows the certificate that expires first, and a renewal', () => {
  const times = [0, 1, 2, 3, 4, 5].map((at) => at * day)
  const old = { from: 1 * day, to: 3 * day, validTo: 10 * day }
  const renewed = { from: 3 * day, to: 3.5 * day, validTo: 90 * day }
  // Before it was first seen, and after now, nothing is known.
  expect(certificateDays(times, day, [old, renewed], 4.5 * day)).toEqual([null, 9, 8, 7, 86, null])
  expect(certificateDays(times, day, [], day)).toEqual(times.map(() => null))
})

it('says at how many days people are notified', () => {
  expect(expiryLimits(30, 'notified').map(({ value, meaning }) => [value, meaning])).toEqual([
    [30, 'notified at 30 days'],
  ])
  expect(expiryLimits(null, 'notified')).toEqual([])
})
