// The Helm chart, rendered for five value files: kinds, references between objects, settings, rights, and refused values.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  buildRenderer,
  chartFolder,
  containersOf,
  type KubernetesObject,
  podsOf,
  type Renderer,
} from './render-chart.ts'

/** The kinds of the objects of each value file. */
const expected = {
  'smallest.yaml': ['Deployment', 'Job', 'PodDisruptionBudget', 'Service'],
  'one-server.yaml': ['Deployment', 'Service'],
  'regions.yaml': [
    'DaemonSet',
    'Deployment',
    'Deployment',
    'Deployment',
    'Job',
    'PodDisruptionBudget',
    'PodDisruptionBudget',
    'Service',
  ],
  'monitored.yaml': [
    'ConfigMap',
    'Deployment',
    'Deployment',
    'Ingress',
    'Job',
    'PodDisruptionBudget',
    'PodDisruptionBudget',
    'PodMonitor',
    'PrometheusRule',
    'Service',
    'ServiceMonitor',
  ],
  'private-location.yaml': ['Deployment', 'Deployment', 'Ingress', 'Job', 'PodDisruptionBudget', 'Service'],
}

const apiVersions: Record<string, string> = {
  ConfigMap: 'v1',
  DaemonSet: 'apps/v1',
  Deployment: 'apps/v1',
  Ingress: 'networking.k8s.io/v1',
  Job: 'batch/v1',
  PodDisruptionBudget: 'policy/v1',
  PodMonitor: 'monitoring.coreos.com/v1',
  PrometheusRule: 'monitoring.coreos.com/v1',
  Service: 'v1',
  ServiceMonitor: 'monitoring.coreos.com/v1',
}

/** Generated from the code of the product. */
const namesOf = (program: 'server' | 'agent'): { settings: string[]; secrets: string[] } =>
  JSON.parse(readFileSync(`${chartFolder}/settings/${program}.json`, 'utf8'))

let renderer: Renderer
beforeAll(async () => {
  renderer = await buildRenderer()
})
afterAll(() => renderer?.remove())

const matches = (selector: Record<string, string>, labels: Record<string, string>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

describe.each(Object.entries(expected))('the chart with %s', (file, kinds) => {
  let objects: KubernetesObject[]
  let pods: KubernetesObject[]
  const ofKind = (...wanted: string[]) => objects.filter(({ kind }) => wanted.includes(kind))
  beforeAll(async () => {
    ;({ objects } = await renderer.render(file))
    pods = podsOf(objects)
  })

  it('has objects of known kinds, with unique names', () => {
    expect(objects.map(({ kind }) => kind).sort()).toEqual(kinds)
    for (const { apiVersion, kind, metadata } of objects) {
      expect(apiVersion).toBe(apiVersions[kind])
      expect(metadata.name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/instance': 'monitoring',
        'app.kubernetes.io/managed-by': 'Helm',
      })
    }
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
  })

  it('has selectors that match what they select', () => {
    for (const { kind, spec } of ofKind('Deployment', 'DaemonSet')) {
      expect(matches(spec.selector.matchLabels, spec.template.metadata.labels), kind).toBe(true)
      const others = pods.filter((pod) => matches(spec.selector.matchLabels, pod.metadata.labels))
      expect(others).toHaveLength(1)
    }
    const podLabels = pods.map(({ metadata }) => metadata.labels)
    for (const { spec } of ofKind('PodDisruptionBudget', 'PodMonitor'))
      expect(podLabels.some((labels) => matches(spec.selector.matchLabels, labels))).toBe(true)
    for (const { spec } of ofKind('Service'))
      expect(podLabels.filter((labels) => matches(spec.selector, labels))).toHaveLength(1)
    for (const { spec } of ofKind('ServiceMonitor')) {
      const selected = ofKind('Service').filter(({ metadata }) =>
        matches(spec.selector.matchLabels, metadata.labels),
      )
      expect(selected).toHaveLength(1)
    }
  })

  it('refers to ports, volumes and services that exist', () => {
    for (const pod of pods) {
      const volumes = (pod.spec.volumes ?? []).map(({ name }: { name: string }) => name)
      for (const container of containersOf(pod)) {
        const ports = (container.ports ?? []).map(({ name }: { name: string }) => name)
        for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
          if (container[probe] !== undefined) expect(ports).toContain(container[probe].httpGet.port)
        for (const { name } of container.volumeMounts ?? []) expect(volumes).toContain(name)
      }
    }
    const [service] = ofKind('Service')
    expect(service?.spec.ports).toMatchObject([{ name: 'http', targetPort: 'http' }])
    for (const { spec } of ofKind('Ingress')) {
      expect(spec.rules.length).toBeGreaterThan(0)
      for (const { http } of spec.rules)
        expect(http.paths[0].backend.service).toEqual({
          name: service?.metadata.name,
          port: { name: 'http' },
        })
    }
  })

  it('sets only settings of the product, and secret ones only by references', () => {
    for (const pod of pods) {
      const component: string = pod.metadata.labels['app.kubernetes.io/component']
      const { settings, secrets } = namesOf(component.startsWith('agent-') ? 'agent' : 'server')
      for (const { env = [] } of containersOf(pod)) {
        const names = env.map(({ name }: { name: string }) => name)
        expect(new Set(names).size).toBe(names.length)
        for (const { name, value, valueFrom } of env) {
          if (secrets.includes(name)) expect(valueFrom.secretKeyRef.name).toBeTypeOf('string')
          else {
            expect(settings).toContain(name)
            expect(value).toBeTypeOf('string')
          }
        }
      }
    }
    const { secrets } = namesOf('server')
    expect(ofKind('Secret')).toEqual([])
    for (const { data } of ofKind('ConfigMap'))
      for (const name of [...secrets, ...namesOf('agent').secrets])
        expect(JSON.stringify(data)).not.toContain(name)
  })

  it('gives rights only to agents of code', () => {
    for (const pod of pods) {
      expect(pod.spec.automountServiceAccountToken).toBe(false)
      expect(pod.spec.hostNetwork ?? pod.spec.hostPID ?? pod.spec.hostIPC).toBeUndefined()
      const component: string = pod.metadata.labels['app.kubernetes.io/component']
      for (const { name, securityContext } of containersOf(pod)) {
        expect(securityContext.privileged).toBeUndefined()
        if (securityContext.runAsUser === 0) {
          expect([component, name]).toEqual(
            pod.spec.hostUsers === false ? [component, 'agent'] : ['seccomp', 'copy'],
          )
        } else {
          expect(securityContext).toMatchObject({
            runAsNonRoot: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            seccompProfile: { type: 'RuntimeDefault' },
          })
        }
      }
    }
  })
})

describe('the chart', () => {
  it('isolates code as compose.yml does, in a user namespace', async () => {
    const { objects } = await renderer.render('regions.yaml')
    const [agent] = podsOf(objects).filter(({ spec }) => spec.hostUsers === false)
    const { services } = parse(readFileSync(new URL('../../../compose.yml', import.meta.url), 'utf8'), {
      merge: true,
    })
    expect(services.agent.cap_add).toEqual(['SYS_PTRACE'])
    expect(services.agent.security_opt).toEqual([
      'seccomp=deploy/seccomp.json',
      'systempaths=unconfined',
      'apparmor=unconfined',
    ])
    expect(agent?.spec.containers[0].securityContext).toEqual({
      runAsUser: 0,
      runAsGroup: 0,
      procMount: 'Unmasked',
      capabilities: { add: ['SYS_PTRACE'] },
      seccompProfile: { type: 'Localhost', localhostProfile: 'vedette/agent.json' },
      appArmorProfile: { type: 'Unconfined' },
    })
    const [installer] = podsOf(objects.filter(({ kind }) => kind === 'DaemonSet'))
    expect(installer?.spec.initContainers[0].command).toContain('/seccomp/vedette/agent.json')
    expect(installer?.spec.volumes[0].hostPath.path).toBe('/var/lib/kubelet/seccomp')
  })

  it('passes on numbers as people write them', async () => {
    const { objects } = await renderer.render('regions.yaml')
    const [server] = podsOf(objects.filter(({ metadata }) => metadata.name.endsWith('-server')))
    expect(server?.spec.containers[0].env).toEqual(
      expect.arrayContaining([
        { name: 'BODY_LIMIT_BYTES', value: '33554432' },
        { name: 'RATE_LIMIT_FACTOR', value: '0.5' },
        { name: 'TRUST_PROXY', value: '1' },
      ]),
    )
  })

  it('carries the alert rules and the dashboard', async () => {
    const { objects } = await renderer.render('monitored.yaml')
    const deploy = new URL('../../../deploy/', import.meta.url)
    const rules = objects.find(({ kind }) => kind === 'PrometheusRule')
    expect(rules?.spec).toEqual(parse(readFileSync(new URL('prometheus/vedette.rules.yml', deploy), 'utf8')))
    const map = objects.find(({ kind }) => kind === 'ConfigMap')
    expect(map?.data['vedette.json']).toBe(readFileSync(new URL('grafana/vedette.json', deploy), 'utf8'))
  })

  it('says what to do after the installation', async () => {
    const { notes } = await renderer.render('smallest.yaml')
    expect(notes).toContain('exec deploy/monitoring-vedette-server -- vedette setup-link')
    expect(notes).toContain('No agent runs checks yet')
  })
})

const agent = (fields: Record<string, unknown>) =>
  JSON.stringify({
    agents: [{ name: 'here', kind: 'network', replicas: 1, secret: { name: 'keys' }, ...fields }],
  })

/** Values that replace those of smallest.yaml, and the message. */
const refused: [what: string, changes: string, message: string, kubernetes?: string][] = [
  ['no Secret', 'secret: { name: "" }', 'secret.name is required: create a Secret'],
  [
    'a Secret without a key',
    'secret: { name: a, keys: [DATABASE_URL] }',
    'secret.keys must contain SECRET_KEY',
  ],
  [
    'an unknown secret',
    'secret: { name: a, keys: [DATABASE_URL, SECRET_KEY, SMTP_FROM] }',
    "SMTP_FROM isn't a secret setting of the server",
  ],
  ['no address', 'server: { settings: {} }', 'server.settings.PUBLIC_URL is required'],
  [
    'a secret among the settings',
    'server: { settings: { PUBLIC_URL: "https://a.example", SMTP_URL: "smtp://a:b@c" } }',
    'server.settings.SMTP_URL is a secret: put it into a Secret',
  ],
  [
    'a misspelled setting',
    'server: { settings: { PUBLIC_URL: "https://a.example", RESULT_RETENTION: 3 } }',
    "server.settings.RESULT_RETENTION isn't a setting of this release",
  ],
  [
    'a setting of the chart',
    'server: { settings: { PUBLIC_URL: "https://a.example", PORT: 80 } }',
    'server.settings.PORT is set by the chart: remove it',
  ],
  [
    'files that would be lost',
    'server: { settings: { PUBLIC_URL: "https://a.example", BLOB_STORE: disk } }',
    'server.dataClaim is required unless BLOB_STORE is s3',
  ],
  [
    'a bucket without a name',
    'server: { settings: { PUBLIC_URL: "https://a.example", S3_URL: "https://s3.example" } }',
    'server.settings.S3_BUCKET is required with BLOB_STORE=s3',
  ],
  [
    'metrics without a token',
    'monitoring: { serviceMonitor: { enabled: true } }',
    'secret.keys must contain METRICS_TOKEN',
  ],
  ['no replicas', 'server: { replicas: 0 }', 'server.replicas: Must be greater than or equal to 1'],
  ['an unknown value', 'replicas: 3', 'Additional property replicas is not allowed'],
  ['an agent of an unknown kind', agent({ kind: 'browser' }), 'agents.0.kind'],
  ['an agent with a long name', agent({ name: 'a'.repeat(25) }), 'agents.0.name: Does not match pattern'],
  [
    'a setting of servers for an agent',
    agent({ settings: { PUBLIC_URL: 'a' } }),
    'agents.here.settings.PUBLIC_URL',
  ],
  [
    'two agents of one name',
    'agents: [{ name: a, kind: network, replicas: 1, secret: { name: k } }, { name: a, kind: network, replicas: 1, secret: { name: k } }]',
    'agents: the name a is used twice',
  ],
  [
    'code on a cluster without user namespaces',
    agent({ kind: 'code' }),
    'agents.here: the kind code needs Kubernetes 1.33 or newer',
    'v1.32.4',
  ],
]

describe('values that the chart refuses', () => {
  it.each(refused)('%s', async (_what, changes, message, kubernetes) => {
    expect(await renderer.refuse('smallest.yaml', changes, kubernetes)).toContain(message)
  })
})
