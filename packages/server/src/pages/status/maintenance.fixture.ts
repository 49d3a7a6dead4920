// A status page with maintenance, on a clock that tests move.
import { expect } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

export interface Stage {
  api: TestApi
  now: number
  service(name: string, owner?: Caller): Promise<string>
  /** Returns the page as created. */
  page(services: string[], values?: Record<string, unknown>, owner?: Caller): Promise<CreatedPage>
  /** Publishes a window; returns its id. */
  maintain(
    page: CreatedPage,
    values: Record<string, unknown>,
    visibility?: Record<string, unknown>,
  ): Promise<number>
  /** Content is kept for seconds: moves the clock past them first. */
  open(path: string, headers?: Record<string, string>): ReturnType<Caller['send']>
}

interface CreatedPage {
  id: string
  url: string
  services: string[]
  key: string | undefined
}

export async function startStage(at: string): Promise<Stage> {
  let count = 0
  const stage: Stage = {
    api: await startTestApi({}, { now: () => stage.now }),
    now: Date.parse(at),
    async service(name, owner = stage.api.alice) {
      return (await owner.post('/v1/status-pages/services', { name })).body.id
    },
    async page(services, values = {}, owner = stage.api.alice) {
      const cards = [{ name: 'All', services: services.map((id) => ({ id })) }]
      const sent = { name: 'Acme', url: `page-${++count}`, cards, ...values }
      const { status, body, text } = await owner.post('/v1/status-pages', sent)
      expect(status, text).toBe(201)
      return { id: body.id, url: body.url, services, key: body.keys[0]?.rawKey }
    },
    async maintain(page, values, visibility = {}) {
      const statusPageVisibility = {
        ...{ enabled: true, statusPageIds: [page.id], serviceIds: page.services },
        ...visibility,
      }
      const window = { name: 'New database', ...values, statusPageVisibility }
      const { status, body, text } = await stage.api.alice.post('/v1/maintenance-windows', window)
      expect(status, text).toBe(201)
      return body.id
    },
    open(path, headers = {}) {
      stage.now += 10_000
      return stage.api.nobody.send('GET', path, undefined, headers)
    },
  }
  return stage
}
