// A loopback port that never completes a connection: its queue is full and the server doesn't accept.
import { connect, type Socket } from 'node:net'
import { CSocket, families, sockStream } from './c-socket.ts'

const open: (() => void)[] = []

export async function silentPort(address: string, port = 0): Promise<number> {
  const { default: koffi } = await import('koffi')
  const listen = koffi.load(null).func('int listen(int, int)')
  const socket = await CSocket.open([families[4].domain, sockStream, 0], (opened) =>
    opened.bind(opened.socketAddress(address, port)),
  )
  if (listen(socket.fd, 0) !== 0) throw new Error('listen() failed')
  const bound = socket.localPort()
  const fill: Socket = connect(bound, address)
  await new Promise((resolve) => fill.once('connect', resolve))
  fill.on('error', () => {})
  open.push(() => {
    fill.destroy()
    socket.close()
  })
  return bound
}

export function closeSilentPorts(): void {
  for (const close of open.splice(0)) close()
}
