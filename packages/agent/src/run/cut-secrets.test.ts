import { describe, expect, it } from 'vitest'
import { showValue } from '../judge/show-value.ts'
import { createScrubber, mask } from '../scrub/scrub.ts'

const secret = 'swordfish-of-the-seven-seas'
const scrubber = createScrubber([secret])

describe('a secret that was cut with its value', () => {
  it.each([4, 10, 20, secret.length])('is masked with %s characters left', (left) => {
    const shown = showValue(`token: ${secret} and more`, 'token: '.length + left)
    const text = scrubber.text(`expected "x" but was "${shown}" (1 more)`)
    expect(text).toContain(mask)
    expect(text).not.toContain(secret.slice(0, 3))
  })

  it.each(['…', 'a…', 'nothing of it…', 'sword fish…', `${secret.slice(1, 9)}…`])(
    'is not seen in %s',
    (text) => {
      expect(scrubber.text(text)).toBe(text)
    },
  )

  it('is looked for only where something was cut', () => {
    expect(scrubber.text('the swordfi is a fish')).toBe('the swordfi is a fish')
    expect(scrubber.text(`swordfi… then swordfi`)).toBe(`${mask}… then swordfi`)
  })
})
