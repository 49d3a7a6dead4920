import { expect, it } from 'vitest'
import { nextPath } from './next-path.ts'

it.each([
  ['', '/'],
  ['next=%2Fchecks%3Fstate%3Dfailing', '/checks?state=failing'],
  ['next=https%3A%2F%2Fevil.example', '/'],
  ['next=%2F%2Fevil.example%2Fx', '/'],
  ['next=%2F%5Cevil.example', '/'],
  ['next=%2F.%2F%2Fevil.example', '/'],
  ['next=javascript%3Aalert(1)', '/'],
  ['next=%2Flogin%3Fnext%3D%2Flogin', '/'],
  ['next=%2Flogin%2Fsso%3Fcode%3Dx', '/'],
  ['next=%2F%09%2Fevil.example', '/'],
])('after signing in, ?%s leads to %s', (search, path) => expect(nextPath(search)).toBe(path))
