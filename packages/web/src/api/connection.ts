// Whether the server responds, and whether the session still holds, as the last responses showed it.
import { createStore } from '../core/store.ts'

export interface Connection {
  /** `lost`: no response; `outage`: the server is there, its database isn't. */
  state: 'connected' | 'lost' | 'outage'
  /** When the last good response came. */
  heardAt: number
}

export const connection = createStore<Connection>({ state: 'connected', heardAt: Date.now() })

/** True: a request that needs a session was refused although there was one. */
export const sessionEnded = createStore(false)

export function notifyResponse(status: number): void {
  const { state, heardAt } = connection.get()
  if (status === 503) {
    connection.set({ state: 'outage', heardAt })
    return
  }
  // Every response would otherwise render what shows the age.
  if (state !== 'connected' || Date.now() - heardAt > 1_000)
    connection.set({ state: 'connected', heardAt: Date.now() })
}

export function notifyFailure(): void {
  if (connection.get().state !== 'lost') connection.set({ ...connection.get(), state: 'lost' })
}
