// Two connections as if they were one: what came in on one side before it ended or broke still arrives on the other.
import type { Socket } from 'node:net'

/** Whoever still talks to a side that has gone is heard out: closed with bytes unread, it would be reset and lose its own. */
const lingerMs = 5_000

export function joinSockets(one: Socket, other: Socket, onEnd: () => void = () => {}): void {
  let open = 2
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    let isBroken = false
    from.allowHalfOpen = true
    from.on('error', () => {
      isBroken = true
    })
    from.on('close', () => {
      open -= 1
      if (open === 0) onEnd()
      if (to.destroyed) return
      if (isBroken) breakOff(to)
      else seeOff(to)
    })
    from.pipe(to)
  }
}

/** However slowly it reads. */
function seeOff(socket: Socket): void {
  const linger = () => destroyLater(socket)
  if (socket.writableFinished) linger()
  else socket.once('finish', linger)
  socket.resume().end()
}

/** As the other side was: without an end. */
function breakOff(socket: Socket): void {
  const cut = () => (socket.remotePort === undefined ? socket.destroy() : socket.resetAndDestroy())
  if (socket.writableEnded) seeOff(socket)
  else if (socket.writableLength === 0) cut()
  else {
    socket.resume().write('', cut)
    destroyLater(socket)
  }
}

function destroyLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(timer))
}
