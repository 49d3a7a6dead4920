// From moments of a monotonic clock to the durations that results carry.

export interface DialMarks {
  /** The connection was begun. */
  socket: number
  lookup: number
  connect: number
  secureConnect: number
}

export interface HttpMarks extends DialMarks {
  send: number
  response: number
  end: number
}

/** Milliseconds from the start of the run; null: not reached. */
export type WireTimings = Record<'socket' | 'lookup' | 'connect' | 'response' | 'end', number | null>
export type WirePhases = Record<'wait' | 'dns' | 'tcp' | 'firstByte' | 'download' | 'total', number | null>

/**
 * Finer than the wire has it: there the handshake and the sending lie inside `firstByte`. `agentWait`: what the run
 * waited for resources of its agent, which no other duration contains; null: it didn't.
 */
export type Breakdown = Record<
  'dns' | 'connect' | 'tls' | 'send' | 'wait' | 'receive' | 'agentWait',
  number | null
>

export function wireTimings(start: number, marks: Partial<HttpMarks>): WireTimings {
  const since = (mark: number | undefined) => (mark === undefined ? null : roundMs(mark - start))
  return {
    socket: since(marks.socket),
    lookup: since(marks.lookup),
    connect: since(marks.connect),
    response: since(marks.response),
    end: since(marks.end),
  }
}

/** Taken from rounded timings, so that the phases add up to the total. */
export function wirePhases({ socket, lookup, connect, response, end }: WireTimings): WirePhases {
  return {
    wait: socket,
    dns: between(socket, lookup),
    tcp: between(lookup, connect),
    firstByte: between(connect, response),
    download: between(response, end),
    total: end,
  }
}

/** Of the last connection; without TLS that phase is null. */
export function breakdownOf(marks: Partial<HttpMarks>, agentWaitMs = 0): Breakdown {
  return {
    dns: between(marks.socket, marks.lookup),
    connect: between(marks.lookup, marks.connect),
    tls: between(marks.connect, marks.secureConnect),
    send: between(marks.secureConnect ?? marks.connect, marks.send),
    wait: between(marks.send, marks.response),
    receive: between(marks.response, marks.end),
    agentWait: roundMs(agentWaitMs) || null,
  }
}

export function roundMs(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}

function between(from: number | null | undefined, to: number | null | undefined): number | null {
  return from == null || to == null ? null : roundMs(to - from)
}
