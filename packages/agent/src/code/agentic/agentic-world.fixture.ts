// A shop, a model and a runner of prompts as the agent puts it together; new ones for each test.
import { rm } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { BrowsersFolder } from '../../runtimes/runtime.ts'
import type { CodeOutcome } from '../code-runner.ts'
import {
  agenticJob,
  codeContext,
  type ScriptedModel,
  type Shop,
  startModel,
  startShop,
  testRuntime,
} from './agentic.fixture.ts'
import type { AgenticDeps } from './perform.ts'
import { openPlainCell, replayPlainly, testBrowsers } from './plain-cell.fixture.ts'
import { agenticRunner } from './run-agentic.ts'

type MoreOfJob = NonNullable<Parameters<typeof agenticJob>[1]>

export const prompt = 'Open {{SHOP_URL}}, buy a pen and verify that the cart holds one pen.'

const buy = { by: 'role', value: 'button', name: 'Buy' }

/** The tool calls of a model for the prompt. */
export const buying = (): ScriptedModel['turns'] => [
  [['navigate', { intent: 'Open the shop', url: '{{SHOP_URL}}/' }]],
  [
    ['assert', { condition: 'the shop is shown', kind: 'title_contains', expected: 'pen shop' }],
    ['click', { intent: 'Buy a pen', target: buy }],
  ],
  [['screenshot', { intent: 'Buy a pen', description: 'The cart' }]],
  [['assert', { condition: 'the cart holds one pen', kind: 'text_visible', expected: 'Cart: 1 pen' }]],
  [['done', { outcome: 'passed', summary: 'Bought a pen; the cart holds it.' }]],
]

export class AgenticWorld {
  model!: ScriptedModel
  shop!: Shop
  readonly runtime = testRuntime()
  #browsers!: BrowsersFolder
  #outcomes: CodeOutcome[] = []
  #bought: CodeOutcome | null = null

  /** For the tests of one file. */
  constructor() {
    beforeAll(async () => {
      this.#browsers = await testBrowsers(this.runtime)
    })
    afterAll(() => rm(this.#browsers.folder, { recursive: true, force: true }))
    beforeEach(async () => {
      ;[this.model, this.shop] = await Promise.all([startModel(), startShop()])
    })
    afterEach(async () => {
      const released = this.#outcomes.splice(0).map(({ release }) => release())
      await Promise.all([this.model.close(), this.shop.close(), ...released])
    })
  }

  deps(changes: Partial<AgenticDeps> = {}): AgenticDeps {
    return {
      model: this.model.settings,
      openCell: openPlainCell,
      runtime: async () => this.runtime,
      browsers: async () => this.#browsers,
      replay: (script, job) => this.replay(script, job),
      ...changes,
    }
  }

  replay(script: string, job: Pick<MoreOfJob, 'variables'>, patienceMs?: number): Promise<CodeOutcome> {
    const { variables = {} } = job
    return replayPlainly({ runtime: this.runtime, browsers: this.#browsers, patienceMs }, script, {
      variables,
    })
  }

  job(more: MoreOfJob = {}): ReturnType<typeof agenticJob> {
    return agenticJob(prompt, { variables: { SHOP_URL: this.shop.url }, ...more })
  }

  async run(
    job = this.job(),
    runner = agenticRunner(this.deps()),
    signal?: AbortSignal,
  ): Promise<CodeOutcome> {
    const outcome = await runner(job, codeContext(signal))
    this.#outcomes.push(outcome)
    return outcome
  }

  /** The first run of the prompt, made once: its script is the same for each URL of the shop, which is a variable. */
  async bought(): Promise<CodeOutcome> {
    if (this.#bought) return this.#bought
    this.model.turns = buying()
    this.#bought = await this.run()
    this.model.requests.splice(0)
    return this.#bought
  }

  async script(): Promise<NonNullable<CodeOutcome['agenticScript']>> {
    const { agenticScript } = await this.bought()
    if (!agenticScript) throw new Error('the first run left no script')
    return agenticScript
  }
}
