// A loopback port that never completes a connection: its queue is full and the server doesn't accept.
import { connect, type Socket } from 'node:net'
import { closeOnExec, loadLibrary, socketAddress, sockStream } from './c-socket.ts'

const open: (() => void)[] = []

export async function silentPort(address: string, port = 0): Promise<number> {
  const c = await loadLibrary()
  const { default: koffi } = await import('koffi')
  const listen = koffi.load(null).func('int listen(int, int)')
  const fd = c.must(c.socket(2, sockStream | closeOnExec, 0), 'socket')
  const name = socketAddress(c, 4, address, port)
  c.must(c.bind(fd, name, name.length), 'bind')
  c.must(listen(fd, 0), 'listen')
  const length = Buffer.from(Uint32Array.of(name.length).buffer)
  c.must(c.ownName(fd, name, length), 'getsockname')
  const bound = name.readUInt16BE(2)
  const fill: Socket = connect(bound, address)
  await new Promise((resolve) => fill.once('connect', resolve))
  fill.on('error', () => {})
  open.push(() => {
    fill.destroy()
    c.close(fd)
  })
  return bound
}

export function closeSilentPorts(): void {
  for (const close of open.splice(0)) close()
}
