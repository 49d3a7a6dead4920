import { expect, it } from 'vitest'
import { sharedBuffersFor } from './shared-buffers.ts'

it.each([
  ['a new installation', { workingSetMb: 0, memoryMb: 8_000 }, 24],
  ['a small one', { workingSetMb: 10, memoryMb: 8_000 }, 24],
  ['a large one', { workingSetMb: 150.7, memoryMb: 8_000 }, 301],
  ['a large one on a small machine', { workingSetMb: 300, memoryMb: 2_000 }, 500],
  ['a huge one', { workingSetMb: 5_000, memoryMb: 64_000 }, 1_024],
  ['one on a machine that is too small', { workingSetMb: 300, memoryMb: 64 }, 24],
])('%s has suitable shared buffers', (_, { workingSetMb, memoryMb }, expected) => {
  expect(sharedBuffersFor(workingSetMb, memoryMb)).toBe(expected)
})
