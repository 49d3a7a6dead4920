import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ciFiles, ownVariables } from './ci-files.ts'

describe('the CI files of the guide', () => {
  it('are all read', () => {
    const names = readdirSync(new URL('../../../docs/examples/', import.meta.url))
    expect(ciFiles.map(({ name }) => `${name}.yml`).sort()).toEqual(names.sort())
  })

  it.each(ciFiles)('$name sets all variables and installs packages before its commands', (file) => {
    expect(Object.keys({ ...file.variables, ...ownVariables[file.name] }).sort()).toEqual([
      'CHECKLY_ACCOUNT_ID',
      'CHECKLY_API_KEY',
      'CHECKLY_API_URL',
      'CHECKLY_ENV',
      'CHECKLY_MQTT_URL',
    ])
    expect(file.commands[0]).toBe('npm ci')
    expect(file.commands.length).toBeGreaterThan(1)
  })
})
