// The server's time: every response carries it.
import { createRemoteClock, type RemoteClock } from '@vedette/contracts/remote-clock'

export type AgentClock = Pick<RemoteClock, 'now' | 'monotonic'>
export type ServerClock = RemoteClock
export const createServerClock = createRemoteClock
