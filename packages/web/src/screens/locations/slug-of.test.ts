import { expect, it } from 'vitest'
import { slugOf } from './slug-of.ts'

it.each([
  ['Office Bern', 'office-bern'],
  ['Büro  Zürich (2)', 'buro-zurich-2'],
  ['', ''],
  ['—', ''],
  ['A very long name of a location that goes on', 'a-very-long-name-of-a-location'],
])('%s → %s', (name, slug) => expect(slugOf(name)).toBe(slug))
