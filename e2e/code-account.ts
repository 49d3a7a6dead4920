// What owners of code checks do: create them, upload suites, run them, read the files of a run.
import {
  awaitTestSession,
  CodeBundle,
  createBrowserCheck,
  createMultiStepCheck,
  createPlaywrightCheck,
  listCheckResultAssets,
  type ResponseOf,
  triggerTestSession,
} from '@vedette/contracts'
import type { Account } from './account.ts'
import { suiteBundle } from './archives/suite-bundle.ts'
import { onDemandOnly } from './scene.ts'
import { until } from './until.ts'

type Asset = ResponseOf<typeof listCheckResultAssets>['assets'][number]

const shared = { ...onDemandOnly, locations: ['eu-west-1' as const] }
/** Notifies only the channels that a story names. */
const query = { autoAssignAlerts: false }

export class CodeAccount {
  readonly account: Account

  constructor(account: Account) {
    this.account = account
  }

  async browser(script: string, settings: object = {}): Promise<string> {
    const body = { name: 'In a browser', doubleCheck: false, ...shared, ...settings, script }
    return (await this.account.call(createBrowserCheck, { query, body })).id
  }

  async multiStep(script: string, settings: object = {}): Promise<string> {
    const body = { name: 'In several steps', doubleCheck: false, ...shared, ...settings, script }
    return (await this.account.call(createMultiStepCheck, { query, body })).id
  }

  async suite(files: Readonly<Record<string, string | Buffer>>, settings: object = {}): Promise<string> {
    const { codeBundlePath } = await this.upload(suiteBundle(files))
    const body = { name: 'A suite', ...shared, ...settings, codeBundlePath }
    return (await this.account.call(createPlaywrightCheck, { query, body })).id
  }

  /** Runs the check in a test session, and waits for its end. */
  async test(checkId: string): Promise<ResponseOf<typeof awaitTestSession>> {
    const { testSessionId } = await this.account.call(triggerTestSession, {
      body: { name: 'Before the release', runLocation: 'us-west-2', target: { checkId: [checkId] } },
    })
    return until(
      'the session to end',
      () => this.account.call(awaitTestSession, { params: { testSessionId } }).catch(() => null),
      90_000,
    )
  }

  async upload(bundle: Buffer): Promise<{ codeBundlePath: string }> {
    const response = await fetch(`${this.account.baseUrl}/v1/code-bundles`, {
      method: 'POST',
      headers: { ...this.account.headers, 'content-type': 'application/gzip' },
      body: new Uint8Array(bundle),
    })
    if (response.status !== 201) throw new Error(`status ${response.status}: ${await response.text()}`)
    return CodeBundle.parse(await response.json())
  }

  async assets(checkId: string, checkResultId: string, type?: Asset['type']): Promise<Asset[]> {
    const input = { params: { checkId, checkResultId }, query: type === undefined ? {} : { type } }
    return (await this.account.call(listCheckResultAssets, input)).assets
  }

  /** By its link alone, without a key. */
  async download({ url }: { url: string }, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(new URL(url, this.account.baseUrl), { headers })
  }

  async content(asset: { url: string }): Promise<Buffer> {
    const response = await this.download(asset)
    if (response.status !== 200) throw new Error(`${asset.url}: status ${response.status}`)
    return Buffer.from(await response.arrayBuffer())
  }
}

/** The lines of a result's log as one text. */
export function logOf(detail: { jobLog?: unknown } | null | undefined): string {
  const lines = (detail?.jobLog ?? []) as { msg: string }[]
  return lines.map(({ msg }) => msg).join('\n')
}

/** The outcome of each test of a result, by its title. */
export function outcomesOf(detail: Record<string, unknown> | null | undefined): Record<string, string> {
  const tests = (detail?.tests ?? []) as { testTitle?: string; title?: string; outcome: string }[]
  return Object.fromEntries(tests.map(({ testTitle, title, outcome }) => [testTitle ?? title, outcome]))
}
