// The filter as the kernel reads it, for machines that this one is not too.
import { describe, expect, it } from 'vitest'
import { filterCommand } from './syscall-filter.ts'

interface Call {
  nr: number
  audit: number
  firstArgument?: number
}

/** The few instructions that it is made of: load, compare, return. */
function verdict(program: string, { nr, audit, firstArgument = 0 }: Call): string {
  const code = Buffer.from(program, 'hex')
  const data: Record<number, number> = { 0: nr, 4: audit, 16: firstArgument }
  let value = 0
  for (let at = 0; at < code.length; at += 8) {
    const operation = code.readUInt16LE(at)
    const operand = code.readUInt32LE(at + 4)
    const skip = (isMet: boolean) => 8 * code.readUInt8(at + (isMet ? 2 : 3))
    if (operation === 0x20) value = data[operand] ?? Number.NaN
    else if (operation === 0x15) at += skip(value === operand)
    else if (operation === 0x35) at += skip(value >= operand)
    else return operand === 0x7fff0000 ? 'allowed' : `errno ${operand & 0xffff}`
  }
  return 'ran off the end'
}

const kinds = [
  { arch: 'x64', audit: 0xc000003e, socket: 41, open: 257, keyctl: 250, log: 103 },
  { arch: 'arm64', audit: 0xc00000b7, socket: 198, open: 56, keyctl: 219, log: 116 },
]

describe.each(kinds)('on $arch', ({ arch, audit, socket, open, keyctl, log }) => {
  const program = filterCommand('/usr/bin/perl', arch)?.at(-1) ?? ''
  const of = (nr: number, firstArgument?: number) =>
    verdict(program, { nr, audit, ...(firstArgument !== undefined && { firstArgument }) })

  it('ordinary calls are allowed', () => {
    expect([of(open), of(0), of(435)]).toEqual(['allowed', 'allowed', 'allowed'])
  })

  it.each([1, 2, 10, 16])('sockets of family %i are allowed', (family) => {
    expect(of(socket, family)).toBe('allowed')
  })

  it.each([0, 17, 31, 38, 40, 44])('sockets of family %i are refused', (family) => {
    expect(of(socket, family)).toBe('errno 97')
  })

  it('unneeded calls and calls of another ABI are refused', () => {
    expect([of(keyctl), of(log), of(425), of(427), of(0x40000000 + open)]).toEqual(Array(5).fill('errno 1'))
    expect(verdict(program, { nr: open, audit: 0x40000003 })).toBe('errno 1')
  })
})

it("isn't supported on other architectures", () =>
  expect(filterCommand('/usr/bin/perl', 'riscv64')).toBeNull())
