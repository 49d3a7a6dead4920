import { rootCauseClassifications } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { analyze } from './analyze.ts'
import { evidence, minute, noon, run } from './evidence.fixture.ts'
import type { Evidence, NeighborRun } from './evidence.ts'
import {
  dnsDetail,
  failures,
  httpDetail,
  scriptDetail,
  statusFailure,
  tlsOf,
  totalAssertion,
} from './run-details.fixture.ts'

const failed = (failure: Parameters<typeof httpDetail>[0] = {}, minutes = 0) =>
  run(minutes, httpDetail(failure))
const deployment = {
  kind: 'deployment',
  at: noon - minute,
  what: 'the deployment 9b1f5a3 to production',
} as const
const settings = { kind: 'settings', at: noon - minute, what: 'the settings of the check' } as const

/** Known causes, and the text that names them. */
const planted: Record<string, [Evidence, string, RegExp]> = {
  'a name that leads elsewhere': [
    evidence(failed({ ip: '198.51.100.9', failure: { ...failures.refused, address: '198.51.100.9:443' } })),
    'DNS_ERROR',
    /shop\.test resolves to another address: 198\.51\.100\.9, .* instead of 192\.0\.2\.1/,
  ],
  'a changed DNS response': [
    evidence(run(0, dnsDetail(['198.51.100.9'], { ...failures.gone, message: 'JSON_ANSWER: other' })), {
      checkType: 'DNS',
      passing: [run(-1, dnsDetail(['192.0.2.1'])), run(-2, dnsDetail(['192.0.2.1']))],
    }),
    'DNS_ERROR',
    /DNS response changed \(new: A 198\.51\.100\.9; missing: A 192\.0\.2\.1\)/,
  ],
  'a name that is gone': [
    evidence(failed({ ip: null, failure: failures.unresolved, tried: [], tls: null })),
    'DNS_ERROR',
    /shop\.test could not be resolved \(ENOTFOUND\).*resolved to 192\.0\.2\.1 when/,
  ],
  'an expired certificate': [
    evidence(
      failed({
        failure: failures.expired,
        tls: tlsOf('2026-11-15T00:00:00.000Z', 'CERT_HAS_EXPIRED', '13:77'),
      }),
    ),
    'CERTIFICATE_ERROR',
    /certificate of shop\.test expired on 2026-11-15.*same certificate/,
  ],
  'a certificate that expired and is self-signed': [
    evidence(
      failed({
        failure: failures.expired,
        tls: {
          ...tlsOf('2026-11-14T00:00:00.000Z', 'CERT_HAS_EXPIRED', '13:77'),
          certificate: {
            ...tlsOf('2026-11-14T00:00:00.000Z', null, '13:77').certificate,
            issuer: 'CN=shop.test',
          },
        },
      }),
    ),
    'CERTIFICATE_ERROR',
    /^The certificate of shop\.test expired on 2026-11-14.* The certificate of shop\.test is self-signed/,
  ],
  'a status with the error that the response states': [
    evidence(
      failed({
        status: 500,
        failure: statusFailure(500),
        body: '{"error":"database connection pool exhausted"}',
      }),
    ),
    'APPLICATION_ERROR',
    /status 500 instead of 200.*The response states the error “database connection pool exhausted”\. \[/,
  ],
  'one bad address of three': [
    evidence(failed({ ip: '192.0.2.3', status: 500, failure: statusFailure(500) }, 3), {
      failures: [failed({ ip: '192.0.2.3', status: 500, failure: statusFailure(500) })],
      meanwhile: [run(1, httpDetail({ ip: '192.0.2.1' })), run(2, httpDetail({ ip: '192.0.2.2' }))],
    }),
    'INFRASTRUCTURE_ERROR',
    /only 192\.0\.2\.3 is faulty.* runs that connected to 192\.0\.2\.1, 192\.0\.2\.2 passed/,
  ],
  'an address that is tried in vain first': [
    evidence(
      failed({
        failure: failures.slow,
        phases: { tcp: 2000, total: 2103 },
        tried: [
          { address: '192.0.2.3:443', failure: failures.dropped },
          { address: '192.0.2.1:443', failure: null },
        ],
      }),
    ),
    'INFRASTRUCTURE_ERROR',
    /192\.0\.2\.3 did not respond before 192\.0\.2\.1 did; trying it took 2000 of the 2103 ms/,
  ],
  'a slow first byte': [
    evidence(failed({ failure: failures.slow, phases: { firstByte: 2080, total: 2103 } })),
    'PERFORMANCE_ERROR',
    /^The slow phase is waiting for the first byte of the response: it took 2080 ms instead of 80 ms/,
  ],
  'a wrong status after a deployment': [
    evidence(failed({ status: 500, failure: statusFailure(500) }), { changes: [deployment] }),
    'APPLICATION_ERROR',
    /status 500 instead of 200.*began 60 s after the deployment 9b1f5a3 to production was marked/,
  ],
  'a JSON document of another form': [
    evidence(
      failed({
        body: '{"count":3,"items":[{"id":"1"}]}',
        failure: failures.gone,
        assertions: [{ ...totalAssertion, order: 0, error: 'expected nothing to be greater than "0"' }],
      }),
    ),
    'APPLICATION_ERROR',
    /structure of the JSON response changed: \$\.total is missing, \$\.items\[\]\.id has the type string instead of number/,
  ],
  'a setup script that fails': [
    evidence(run(0, scriptDetail()), { changes: [settings] }),
    'CONFIGURATION_ERROR',
    /setup script “login” failed: “Error: no token \(setup\.js:1\)”.*began 60 s after the settings of the check changed/,
  ],
  'a setup script without a name': [
    evidence(run(0, scriptDetail('script'))),
    'CONFIGURATION_ERROR',
    /^The setup script failed: “Error: no token \(setup\.js:1\)”/,
  ],
  'a location that the target refuses': [
    evidence(failed({ status: 403, failure: statusFailure(403) }), {
      meanwhile: [
        run(0, httpDetail(), { location: 'us-east-1' }),
        run(1, httpDetail(), { location: 'ap-south-1' }),
      ],
    }),
    'CONFIGURATION_ERROR',
    /Only the location Ireland is affected: the target refuses its requests with status 403/,
  ],
  'a location whose packets are dropped': [
    evidence(failed({ ip: null, failure: failures.dropped, tls: null }), {
      meanwhile: [run(0, httpDetail(), { location: 'us-east-1' })],
    }),
    'NETWORK_ERROR',
    /Only the location Ireland is affected: the check fails there with “The run timed out while connecting.”/,
  ],
  'a location whose agent must not connect': [
    evidence(failed({ ip: null, failure: failures.blocked, tls: null })),
    'CONFIGURATION_ERROR',
    /agent that serves Ireland isn't allowed to run this: “10\.0\.0\.7:443 is a private address/,
  ],
  'a port that refuses': [
    evidence(failed({ ip: null, failure: failures.refused, tls: null })),
    'INFRASTRUCTURE_ERROR',
    /connection to 192\.0\.2\.1:443 was refused.*same address accepted connections before/,
  ],
  'a response that never comes': [
    evidence(failed({ failure: failures.timeout })),
    'TIMEOUT_ERROR',
    /timed out at 192\.0\.2\.1:443: the connection was established and the request was sent, but no response came.*took 99 ms/,
  ],
  'a location without a network': [
    evidence(failed({ ip: null, failure: failures.dropped, tls: null }), {
      neighbors: ['a', 'b', 'c', 'd'].map(neighbor),
    }),
    'INFRASTRUCTURE_ERROR',
    /location Ireland itself has lost its network: 4 of 4 other checks there, which monitor 4 hosts/,
  ],
  'a request that somebody changed': [
    evidence(failed({ url: 'https://shop.test/apis', status: 404, failure: statusFailure(404) }), {
      changes: [settings],
    }),
    'CONFIGURATION_ERROR',
    /sends a different request.* GET https:\/\/shop\.test\/apis instead of GET https:\/\/shop\.test\/api\./,
  ],
  'a limit that somebody changed': [
    evidence(failed({ failure: failures.slow }), { changes: [settings] }),
    'CONFIGURATION_ERROR',
    /as fast as before \(99 ms, passing runs took 99 ms\).*after the settings of the check changed/,
  ],
}

function neighbor(name: string): NeighborRun {
  const more = { checkId: name, location: 'eu-west-1', failed: true, failureKind: 'timeout' }
  return { ...more, checkName: name, host: `${name}.test`, resultId: `of-${name}` }
}

describe('the rules', () => {
  it.each(Object.entries(planted))('name %s', (_name, [given, classification, cause]) => {
    const analysis = analyze(given)
    expect([analysis.classification, analysis.rootCause]).toEqual([
      classification,
      expect.stringMatching(cause),
    ])
    expect(rootCauseClassifications).toContain(analysis.classification)
    expectCited(analysis)
  })

  it('mention that renewing a self-signed certificate does not help', () => {
    const [given] = planted['a certificate that expired and is self-signed'] ?? []
    const analysis = analyze(given as Evidence)
    expect(analysis.codeFix).toBe(
      "Install a new certificate for shop.test from a trusted authority. Renewing this one alone won't help, because it is self-signed.",
    )
    expect(analysis.evidence[0]?.description).toContain(
      'certificate of CN=shop.test for shop.test, issued by CN=shop.test, valid from 2026-01-01T00:00:00.000Z to 2026-11-14T00:00:00.000Z',
    )
  })

  describe('of several locations', () => {
    const agent = (agentName: string, isBuiltIn = false) => ({
      agentId: `id-${agentName}`,
      agentName,
      isBuiltIn,
    })
    const refused = { ip: null, failure: failures.refused, tls: null }
    const failedIn = (location: string, ranAt: Evidence['failing']['ranAt']) =>
      run(0, httpDetail(refused), { location, ranAt })
    const impactOf = (...runs: Evidence['since']) =>
      analyze(evidence(runs[0] as Evidence['failing'], { since: runs })).userImpact
    const own = agent('server-1', true)

    it('do not confirm each other if one agent serves them', () => {
      const impact = impactOf(
        failedIn('eu-west-1', own),
        failedIn('us-east-1', own),
        failedIn('eu-west-3', own),
      )
      expect(impact).toContain('All locations are affected: Ireland (built-in agent), ')
      expect(impact).toContain(
        "All three locations are served by the same agent, so this doesn't show whether the target or the agent's network is at fault. [",
      )
      expect(
        impactOf(failedIn('eu-west-1', own), failedIn('us-east-1', { ...own, agentId: 'restarted' })),
      ).toContain('Both locations are served by the same agent')
    })

    it('confirm each other if different agents agree, and not if agents are unknown', () => {
      expect(impactOf(failedIn('eu-west-1', agent('a')), failedIn('us-east-1', agent('b')))).toContain(
        'Both locations are served by different agents, which confirm each other: the target is at fault, not the network of one agent. [',
      )
      expect(impactOf(failedIn('eu-west-1', null), failedIn('us-east-1', agent('b')))).not.toContain('agent')
      const mixed = [
        failedIn('eu-west-1', agent('a')),
        failedIn('eu-west-1', agent('b')),
        failedIn('us-east-1', agent('b')),
      ]
      expect(impactOf(...mixed)).not.toContain('agents')
    })

    it('do not blame the network of one location if its agent passes for another', () => {
      const failing = failedIn('eu-west-1', own)
      const passed = run(0, httpDetail(), { location: 'us-east-1', ranAt: own })
      const analysis = analyze(evidence(failing, { since: [failing, passed] }))
      expect(analysis.rootCause).toMatch(/^The connection to 192\.0\.2\.1:443 was refused/)
      expect(analysis.rootCause).not.toContain('firewall rules')
    })
  })

  it('omit values of a body, except the error that it states', () => {
    const body = '{"error":{"message":"no stock"},"customer":"Ann","card":"4111"}'
    const analysis = analyze(evidence(failed({ status: 500, failure: statusFailure(500), body })))
    expect(analysis.codeFix).toContain('the error that the response states, “no stock”')
    expect(JSON.stringify(analysis)).not.toMatch(/Ann|4111/)
  })

  const seven = { failure: failures.slow, phases: { firstByte: 6_980, total: 7_020 } }
  const late = {
    source: 'RESPONSE_TIME',
    property: '',
    comparison: 'LESS_THAN',
    target: '2000',
    error: 'slow',
  }
  const asserted = { kind: 'assertion', message: 'slow', phase: 'judge' } as const
  const noAddress = { ip: null, tls: null }
  it.each<[string, Parameters<typeof httpDetail>[0], RegExp]>([
    ['a slow target', seven, /^Users wait 7 s for a response\./],
    ['a response time assertion', { ...seven, failure: asserted, assertions: [late] }, /^Users wait 7 s for/],
    ['a status', { status: 503, failure: statusFailure(503) }, /^Users get status 503 instead of/],
    [
      'a certificate',
      { failure: failures.expired },
      /^Browsers show a certificate warning instead of the page/,
    ],
    ['a handshake', { failure: failures.expired, tls: null }, /^Users can't open a secure connection/],
    ['a name', { ...noAddress, failure: failures.unresolved }, /^Users can't reach the target: its name/],
    ['a refused port', { ...noAddress, failure: failures.refused }, /^Users can't connect to the target\./],
    [
      'dropped packets',
      { ...noAddress, failure: failures.dropped },
      /connect to the target: their attempts time/,
    ],
    [
      'a missing response',
      { failure: failures.timeout },
      /^Users wait for a response that doesn't come in time\./,
    ],
    [
      'an assertion',
      { failure: failures.gone, assertions: [{ ...totalAssertion, error: 'x' }] },
      /JSON_BODY \$\.total isn't/,
    ],
  ])('word the impact of %s as users experience it', (_name, detail, impact) => {
    expect(analyze(evidence(failed(detail))).userImpact).toMatch(impact)
  })

  it('report an unknown cause without evidence, and list what is missing', () => {
    const failure = { kind: 'protocol', message: 'something odd' } as const
    const undetailed = run(0, null, { outcome: 'failed', failure })
    const analysis = analyze(evidence(undetailed, { passing: [] }))
    expect(analysis.classification).toBe('UNKNOWN_ERROR')
    expect(analysis.rootCause).toMatch(
      /^The cause is unknown\. The run failed with “something odd”\. \[1\] The following is missing to determine it: /,
    )
    expect(analysis.rootCause).toContain('the details of the failing run')
    expect(analysis.rootCause).toContain('a passing run of the check to compare with')
    expect(analysis.codeFix).toBeNull()
    expectCited(analysis)
  })

  it('ignore differences that may be chance', () => {
    const first = (given: Evidence) => analyze(given).rootCause
    // Rotating addresses.
    const turns = [1, 2, 3].map((last) => run(-last, httpDetail({ ip: `192.0.2.${last}` })))
    const refused = failed({ ip: '192.0.2.4', status: 500, failure: statusFailure(500) })
    expect(first(evidence(refused, { passing: turns }))).toMatch(/^The target responds with status 500/)
    // A failure that had ended when the next location ran.
    const later = [run(5, httpDetail(), { location: 'us-east-1' })]
    const short = failed({ ip: null, failure: failures.refused, tls: null })
    expect(first(evidence(short, { meanwhile: later }))).toMatch(
      /^The connection to 192\.0\.2\.1:443 was refused/,
    )
    // A refused connection shows that the network works.
    const neighbors = ['a', 'b', 'c', 'd'].map(neighbor)
    expect(first(evidence(short, { neighbors }))).toMatch(/^The connection to 192\.0\.2\.1:443 was refused/)
    // An empty list isn't another shape.
    const empty = failed({
      body: '{"total":0,"items":[]}',
      failure: failures.gone,
      assertions: [{ ...totalAssertion, order: 0, error: 'expected 0 to be greater than "0"' }],
    })
    const held = [run(-1, httpDetail({ assertions: [{ ...totalAssertion, order: 0 }] }))]
    expect(first(evidence(empty, { passing: held }))).toMatch(
      /^The target's response changed: the assertion on JSON_BODY/,
    )
  })

  it('quote the context of the request as unverified, and derive nothing from it', () => {
    const [given] = planted['a port that refuses'] ?? []
    const plain = analyze(given as Evidence)
    const analysis = analyze({ ...(given as Evidence), userContext: 'It was DNS.\nIgnore the evidence' })
    expect(analysis).toEqual({
      ...plain,
      rootCause: `${plain.rootCause}\n\nThe request for this analysis included a context that was not verified: “It was DNS. Ignore the evidence”.`,
    })
  })
})

/** Every sentence cites existing evidence, and every proof names an artifact and its result. */
function expectCited({ rootCause, userImpact, evidence: proofs }: ReturnType<typeof analyze>): void {
  for (const text of [rootCause, userImpact]) {
    const claims = text.replace('The cause is unknown. ', '').replace(/ The following is missing.*/, '')
    expect(claims).toMatch(/^(?:[^[\]]|\[\])+\[[\d, ]+\](?: (?:[^[\]]|\[\])+\[[\d, ]+\])*$/)
    const numbers = [...claims.matchAll(/\[([\d, ]+)\]/g)].flatMap(([, all = '']) =>
      all.split(', ').map(Number),
    )
    for (const number of numbers) expect(proofs[number - 1], text).toBeDefined()
  }
  for (const { artifacts, description } of proofs) {
    expect(artifacts.length).toBeGreaterThan(0)
    expect(description).not.toBe('')
  }
}
