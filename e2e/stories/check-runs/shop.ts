// A site with API checks, for the stories about API checks.
import { createApiCheck } from '@vedette/contracts'
import { afterAll, beforeAll } from 'vitest'
import { onDemandOnly, type Scene } from '../../scene.ts'
import { Site } from '../../target/site.ts'

export interface Shop {
  /** Available from the first test on. */
  readonly site: Site
  /** Returns the id of the check. */
  check(request: object, settings?: object): Promise<string>
}

/** Opened before the tests of a story and closed after them. */
export function openShop(scene: Scene, defaults: Record<string, unknown>): Shop {
  let site: Site
  beforeAll(async () => {
    site = await Site.open()
  })
  afterAll(() => site.shut())
  return {
    get site() {
      return site
    },
    async check(request, settings = {}) {
      const made = await scene.account.call(createApiCheck, {
        body: {
          name: 'An API',
          ...onDemandOnly,
          locations: ['eu-west-1'],
          doubleCheck: false,
          ...defaults,
          request: { method: 'GET', url: site.url('/'), ...request },
          ...settings,
        },
      })
      return made.id
    },
  }
}
