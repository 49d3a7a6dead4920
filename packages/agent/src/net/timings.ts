// Converts times of a monotonic clock to the durations of results.

export interface DialMarks {
  /** The start of the connection. */
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
export function wireTimings(start: number, marks: Partial<HttpMarks>) {
  const since = (mark: number | undefined) => (mark === undefined ? null : roundMs(mark - start))
  return {
    socket: since(marks.socket),
    lookup: since(marks.lookup),
    connect: since(marks.connect),
    response: since(marks.response),
    end: since(marks.end),
  }
}

/** From rounded timings, so that the phases add up to the total. */
export function wirePhases({ socket, lookup, connect, response, end }: ReturnType<typeof wireTimings>) {
  return {
    wait: socket,
    dns: between(socket, lookup),
    tcp: between(lookup, connect),
    firstByte: between(connect, response),
    download: between(response, end),
    total: end,
  }
}

/**
 * Of the last connection. Finer than `wirePhases()`, where the handshake and the sending are part of `firstByte`. `agentWait`: the
 * time that the run waited for resources of its agent, which isn't part of any other duration; null: none.
 */
export function breakdownOf(marks: Partial<HttpMarks>, agentWaitMs = 0) {
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

export function between(from: number | null | undefined, to: number | null | undefined): number | null {
  return from == null || to == null ? null : roundMs(to - from)
}

/** Of at least one time. */
export function statisticsOf(times: readonly number[]): Record<'avg' | 'min' | 'max' | 'stdDev', number> {
  const avg = times.reduce((sum, time) => sum + time, 0) / times.length
  const variance = times.reduce((sum, time) => sum + (time - avg) ** 2, 0) / times.length
  return { avg, min: Math.min(...times), max: Math.max(...times), stdDev: Math.sqrt(variance) }
}
