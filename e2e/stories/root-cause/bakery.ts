// A site, API checks of its paths, and a secret variable.
import { createApiCheck, createVariable, type LocationId } from '@vedette/contracts'
import type { Scene } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { planted } from './analyzed-check.ts'

export class Bakery {
  readonly secret = 'three pinches of saffron'
  readonly #scene: Scene
  #site: Site | null = null

  constructor(scene: Scene) {
    this.#scene = scene
  }

  get site(): Site {
    return this.#site as Site
  }

  /** Before any check runs: an analysis would name a variable that changed later. */
  async open(): Promise<void> {
    this.#site = await Site.open()
    await this.#scene.account.call(createVariable, {
      body: { key: 'RECIPE', value: this.secret, secret: true },
    })
  }

  async close(): Promise<void> {
    await this.#site?.shut()
  }

  /** Returns its id. */
  async check(
    path: string,
    location: LocationId,
    request: object = {},
    settings: object = {},
  ): Promise<string> {
    const made = await this.#scene.account.call(createApiCheck, {
      body: {
        ...planted(`Bakery ${path}`, location),
        request: { method: 'GET', url: this.site.url(path), ...request },
        ...settings,
      },
    })
    return made.id
  }
}
