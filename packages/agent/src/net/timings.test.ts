import { describe, expect, it } from 'vitest'
import { breakdownOf, wirePhases, wireTimings } from './timings.ts'

const marks = {
  socket: 1000.5,
  lookup: 1004.123,
  connect: 1010,
  secureConnect: 1025.25,
  send: 1026,
  response: 1080.777,
  end: 1100.333,
}

describe('wireTimings and wirePhases', () => {
  it('count from the start of the run, with the handshake inside firstByte', () => {
    const timings = wireTimings(1000, marks)
    expect(timings).toEqual({ socket: 0.5, lookup: 4.12, connect: 10, response: 80.78, end: 100.33 })
    const phases = wirePhases(timings)
    expect(phases).toEqual({
      wait: 0.5,
      dns: 3.62,
      tcp: 5.88,
      firstByte: 70.78,
      download: 19.55,
      total: 100.33,
    })
    const { total, ...parts } = phases
    expect(Object.values(parts).reduce<number>((sum, part) => sum + (part ?? 0), 0)).toBeCloseTo(
      total ?? 0,
      6,
    )
  })

  it('have null for what was not reached', () => {
    const timings = wireTimings(1000, { socket: 1001, lookup: 1002 })
    expect(timings).toEqual({ socket: 1, lookup: 2, connect: null, response: null, end: null })
    expect(wirePhases(timings)).toEqual({
      wait: 1,
      dns: 1,
      tcp: null,
      firstByte: null,
      download: null,
      total: null,
    })
  })
})

describe('breakdownOf', () => {
  it('shows the handshake and the sending on their own', () => {
    expect(breakdownOf(marks)).toEqual({
      dns: 3.62,
      connect: 5.88,
      tls: 15.25,
      send: 0.75,
      wait: 54.78,
      receive: 19.56,
      agentWait: null,
    })
  })

  it('shows what the run waited for its agent', () => {
    expect(breakdownOf(marks, 12.345)).toMatchObject({ receive: 19.56, agentWait: 12.35 })
  })

  it('has no handshake on a plain connection, and the sending follows the connect', () => {
    const { secureConnect: _, ...plain } = marks
    expect(breakdownOf(plain)).toMatchObject({ tls: null, send: 16 })
  })
})
