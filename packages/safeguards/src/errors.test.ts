import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { errorCode, errorMessage } from './errors.ts'

function caught(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

it('reads message and code of an error of Node', () => {
  const error = caught(() => readFileSync('/no/such/file'))
  expect(errorMessage(error)).toContain('no such file')
  expect(errorCode(error)).toBe('ENOENT')
})

it.each([[undefined], [null], ['a text'], [{ code: 5 }], [new Error('no code')]])(
  'has no code for %o',
  (thrown) => {
    expect(errorCode(thrown)).toBeUndefined()
  },
)

it('shows whatever was thrown as text', () => {
  expect(errorMessage('a text')).toBe('a text')
  expect(errorMessage(undefined)).toBe('undefined')
})
