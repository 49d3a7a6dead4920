import { describe, expect, it } from 'vitest'
import { scriptPath } from './script-path.ts'

describe('the path of a script or a dependency', () => {
  it.each([
    ['lib/helper.ts', 'lib/helper.ts'],
    ['./lib//helper.ts', 'lib/helper.ts'],
    ['lib\\helper.ts', 'lib/helper.ts'],
    ['a/../lib/helper.ts', 'lib/helper.ts'],
    ['src/node_modules/x.js', 'src/node_modules/x.js'],
    ['node_modules.ts', 'node_modules.ts'],
  ])('%s is %s', (path, normalized) => {
    expect(scriptPath(path)).toBe(normalized)
  })

  it.each([
    ...[
      '',
      '.',
      'a/..',
      '..',
      '../x.ts',
      'a/../../x',
      '..\\x.ts',
      '/etc/x',
      '\\x',
      'a\0b',
      '.vedette/tests.json',
    ],
    ...['node_modules', 'node_modules/ms/index.js', './node_modules/x.js', 'a/../node_modules/x.js'],
    ...['a\\..\\node_modules\\x.js', 'NODE_MODULES/x.js', 'Node_Modules/x.js', './/./node_modules//x.js'],
  ])('%j is refused', (path) => {
    expect(scriptPath(path)).toBeNull()
  })
})
