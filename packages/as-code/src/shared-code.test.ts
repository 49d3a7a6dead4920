import { describe, expect, it } from 'vitest'
import { snippetAsCurl, variableAsCurl } from './shared-code.ts'

const server = { origin: 'https://vedette.example.com', accountId: 'a1' }

describe('variables as code', () => {
  const variable = { key: 'BASE_URL', value: 'https://example.com', locked: false, secret: false }

  it('have their value', () => {
    const text = variableAsCurl(variable, server)
    expect(text).toContain("curl --request POST 'https://vedette.example.com/v1/variables'")
    expect(text).toContain('"value": "https://example.com"')
    expect(text).not.toContain('secret')
  })

  it.each([{ secret: true }, { locked: true }, { secret: true, value: null }])(
    'never have a secret value: %j',
    (change) => {
      const text = variableAsCurl({ ...variable, value: 'hidden-value', ...change }, server)
      expect(text).toContain('"value": "$BASE_URL"')
      expect(text).not.toContain('hidden-value')
    },
  )
})

it('snippets as code', () => {
  expect(snippetAsCurl({ name: 'sign-in', script: "it's" }, server)).toContain('"script": "it\'\\\'\'s"')
})
