// Joins two connections. What one side sent before it ended or broke still arrives at the other.
import type { Socket } from 'node:net'

/** Drain before close: closing with unread data sends RST and loses our last bytes. */
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
      if (isBroken) resetPeer(to)
      else closeGracefully(to)
    })
    from.pipe(to)
  }
}

/** Waits for slow readers. */
function closeGracefully(socket: Socket): void {
  const linger = () => destroyLater(socket)
  if (socket.writableFinished) linger()
  else socket.once('finish', linger)
  socket.resume().end()
}

/** Passes the reset of the other side on. */
function resetPeer(socket: Socket): void {
  const reset = () => (socket.remotePort === undefined ? socket.destroy() : socket.resetAndDestroy())
  if (socket.writableEnded) closeGracefully(socket)
  else if (socket.writableLength === 0) reset()
  else {
    socket.resume().write('', reset)
    destroyLater(socket)
  }
}

function destroyLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(timer))
}
