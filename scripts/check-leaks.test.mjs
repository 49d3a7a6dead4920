import { expect, it } from 'vitest'
import { findLeaks } from './check-leaks.mjs'

const machine = { root: '/builds/vedette', home: '/homes/ada', registryHost: 'mirror.example:4873' }
// Joined at run time, so that this file passes its own check.
const publicRegistry = ['registry', 'npmjs', 'org'].join('.')
const someHome = ['', 'home', 'ada', 'vedette'].join('/')

it.each([
  [`"resolved"${': '}"https://example.com/x.tgz"`],
  [`see https://${publicRegistry}/zod`],
  [['registry', 'https://example.com'].join('=')],
  ['fetched from https://mirror.example:4873/zod'],
  ["readFileSync('/builds/vedette/x')"],
  ['cd /builds/vedette'],
  ['/homes/ada/.npmrc'],
  [`cd ${someHome}`],
])('reports %s', (text) => {
  expect(findLeaks(text, machine)).toHaveLength(1)
})

it.each([
  ['"resolved": "packages/contracts"'],
  ['DATA_DIR=/var/lib/vedette'],
  ['/builds/vedette-other/x'],
  ['https://example.com/home/page/one'],
])('passes %s', (text) => {
  expect(findLeaks(text, machine)).toEqual([])
})
