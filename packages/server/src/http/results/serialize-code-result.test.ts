import {
  AgenticCheckResult,
  BrowserCheckResult,
  MultiStepCheckResult,
  PlaywrightCheckResult,
} from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { readDetail, serializeRunData } from './result-detail.ts'
import type { ResultFile } from './serialize-code-result.ts'
import { serializeEvidence } from './serialize-evidence.ts'

const read = (detail: unknown) => {
  const known = readDetail(JSON.stringify(detail))
  if (known === null) throw new Error('no detail')
  return known
}

const file = (
  type: ResultFile['type'],
  name: string,
  contentType = 'application/octet-stream',
): ResultFile => ({
  type,
  name,
  contentType,
  url: `https://vedette.test/assets/${name}`,
})
const urlOf = (name: string) => `https://vedette.test/assets/${name}`

const files = [
  file('screenshot', 'home.png', 'image/png'),
  file('trace', 'buys/trace.zip', 'application/zip'),
  file('trace', 'pays/trace.zip', 'application/zip'),
  file('video', 'buys/video.webm', 'video/webm'),
  file('report', 'report/index.html', 'text/html'),
  file('report', 'report.json', 'application/json'),
  file('file', 'download.csv', 'text/csv'),
]
const links = {
  jobAssets: [urlOf('home.png'), urlOf('report/index.html'), urlOf('download.csv')],
  playwrightTestVideos: [urlOf('buys/video.webm')],
  playwrightTestTraces: [urlOf('buys/trace.zip'), urlOf('pays/trace.zip')],
  playwrightTestJsonReportFile: urlOf('report.json'),
}

const line = { time: 1, msg: 'hello', level: 'INFO' }
const failure = { kind: 'script', message: 'Error: no', phase: 'judge' } as const

describe('the evidence of a browser check', () => {
  it('contains what its agent reported, its log, and links to its files, each once', () => {
    const observed = {
      type: 'PLAYWRIGHT_TEST',
      traceSummary: { consoleErrors: 1, networkErrors: 0, documentErrors: 0, userScriptErrors: 0 },
      pages: [{ url: 'https://shop.test/', webVitals: { LCP: { score: 'GOOD', value: 900 } } }],
      errors: [{ message: 'Error: no', stack: 'at x' }],
      startTime: 1,
      endTime: 2,
      runtimeVersion: '2026.04',
    }
    const { browserCheckResult } = serializeEvidence(
      'BROWSER',
      read({ observed, failure, jobLog: [line] }),
      files,
    )
    expect(browserCheckResult).toEqual({ ...observed, ...links, jobLog: [line], pcapDataUrl: null })
  })

  it('shows no links in lists', () => {
    const { browserCheckResult } = serializeEvidence('BROWSER', read({ observed: {}, jobLog: [line] }))
    expect(browserCheckResult).toEqual({ errors: [], jobLog: [line], jobAssets: null, pcapDataUrl: null })
  })

  it("leaves out what doesn't match the contract, and links or logs that an agent sent", () => {
    const elsewhere = ['https://evil.example.com/']
    const observed = {
      startTime: 'soon',
      pages: 'many',
      runtimeVersion: '2026.04',
      jobAssets: elsewhere,
      playwrightTestVideos: elsewhere,
      playwrightTestTraces: elsewhere,
      playwrightTestJsonReportFile: elsewhere[0],
      pcapDataUrl: elsewhere[0],
      jobLog: [line],
      errors: 7,
    }
    const { browserCheckResult } = serializeEvidence('BROWSER', read({ observed, failure }), [])
    expect(browserCheckResult).toEqual({
      runtimeVersion: '2026.04',
      errors: ['Error: no'],
      jobLog: null,
      jobAssets: [],
      pcapDataUrl: null,
      playwrightTestVideos: [],
      playwrightTestTraces: [],
    })
  })
})

describe('the evidence of a suite', () => {
  it('names its traces by their tests, or by their files', () => {
    const playwrightTraceFiles = [
      { name: 'buys', filename: 'buys/trace.zip', url: 'https://evil.example.com/' },
      { name: 'was not uploaded', filename: 'gone/trace.zip' },
      'nonsense',
    ]
    const errors = [{ error: { message: 'no', stack: '' }, specId: 'a', testTitle: 'buys', suitePath: [] }]
    const detail = read({ observed: { errors, playwrightTraceFiles, tests: [{ title: 'buys' }] }, failure })
    const { playwrightCheckResult } = serializeEvidence('PLAYWRIGHT', detail, files)
    expect(playwrightCheckResult).toEqual({
      ...links,
      errors,
      tests: [{ title: 'buys' }],
      playwrightTraceFiles: [
        { name: 'buys', filename: 'buys/trace.zip', url: urlOf('buys/trace.zip') },
        { name: 'pays/trace.zip', filename: 'pays/trace.zip', url: urlOf('pays/trace.zip') },
      ],
      jobLog: null,
      pcapDataUrl: null,
    })
  })

  it('that broke before any test has its failure as its error', () => {
    const { playwrightCheckResult } = serializeEvidence('PLAYWRIGHT', read({ observed: {}, failure }), [])
    expect(playwrightCheckResult?.errors).toEqual([{ error: { message: 'Error: no' } }])
  })
})

const types = ['BROWSER', 'MULTI_STEP', 'PLAYWRIGHT', 'AGENTIC'] as const

describe('the evidence of a hostile agent', () => {
  it.each(types)('of %s is shown without other fields', (type) => {
    const own = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map(
      (name) => `"${name}": {"a": 1}`,
    )
    const errors = '"errors": [7, null, "text", {"message": "Error: no"}]'
    const detail = readDetail(`{"observed": {${[...own, errors].join(',')}}, "failure": null}`)
    const shown = Object.values(serializeEvidence(type, detail, files)).find((one) => one !== null)
    const schema = { BROWSER: BrowserCheckResult, MULTI_STEP: MultiStepCheckResult }
    const known = { ...schema, PLAYWRIGHT: PlaywrightCheckResult, AGENTIC: AgenticCheckResult }[type]
    expect(known.safeParse(JSON.parse(JSON.stringify(shown))).error).toBeUndefined()
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype)
    expect(JSON.stringify(shown)).toContain('Error: no')
  })
})

describe('the evidence of an agentic check', () => {
  const observed = {
    summary: 'It works',
    prompt: 'Look',
    assertions: [{ condition: 'the title', passed: true, actual: 'Shop', expected: 'Shop' }],
    steps: [{ type: 'message', output: 'done', sequenceNumber: 1 }],
    suggestions: [],
    artifactManifest: { 'home.png': 'the start page' },
  }

  it('has all files among its assets, and its own assertions in its data', () => {
    const detail = read({ observed, assertions: [] })
    expect(serializeEvidence('AGENTIC', detail, files).agenticCheckResult).toEqual({
      ...observed,
      errors: [],
      jobLog: null,
      jobAssets: files.map(({ url }) => url),
      pcapDataUrl: null,
    })
    expect(serializeRunData('AGENTIC', detail)).toEqual(observed)
    expect(serializeRunData('MULTI_STEP', read({ observed: { errors: [] }, failure }))).toEqual({
      errors: [],
      failure,
    })
  })
})
