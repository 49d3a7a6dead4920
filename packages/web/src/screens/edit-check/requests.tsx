// What a check of each type does: the part of the form that only this type has.
import type { CheckType } from '@vedette/contracts'
import type { ReactNode } from 'react'
import { Choice, NumberInput, Rows, TextArea, TextInput, Toggle } from '../../forms/fields.tsx'
import { valueAt } from '../../forms/values.ts'
import { useCertificates } from './choices.ts'
import { HeartbeatPart } from './heartbeat-part.tsx'
import type { PartProps } from './parts.ts'
import { ScriptPart } from './script-part.tsx'
import { SuitePart } from './suite-part.tsx'

const optionsOf = <V extends string | number>(values: readonly V[]) =>
  values.map((value) => ({ value, label: String(value) }))

const ipFamilies = optionsOf(['IPv4', 'IPv6'])

export const requests: Record<CheckType, { title: string; Part(props: PartProps): ReactNode }> = {
  API: { title: 'Request', Part: ApiPart },
  URL: { title: 'Request', Part: UrlPart },
  TCP: { title: 'Target', Part: TcpPart },
  DNS: { title: 'Query', Part: DnsPart },
  ICMP: { title: 'Target', Part: IcmpPart },
  SSL: { title: 'Target', Part: SslPart },
  GRPC: { title: 'Call', Part: GrpcPart },
  TRACEROUTE: { title: 'Target', Part: TraceroutePart },
  HEARTBEAT: { title: 'Pings', Part: HeartbeatPart },
  BROWSER: { title: 'Script', Part: ScriptPart },
  MULTI_STEP: { title: 'Script', Part: ScriptPart },
  PLAYWRIGHT: { title: 'Suite', Part: SuitePart },
  AGENTIC: { title: 'Instructions', Part: AgenticPart },
}

function ApiPart({ form }: PartProps) {
  const bodyType = valueAt(form.values, 'request.bodyType')
  return (
    <>
      <div className="method-and-url">
        <Choice
          form={form}
          path="request.method"
          label="Method"
          options={optionsOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])}
        />
        <UrlField form={form} />
      </div>
      <KeyValues form={form} path="request.headers" label="Headers" addLabel="Add header" />
      <KeyValues
        form={form}
        path="request.queryParameters"
        label="Query parameters"
        addLabel="Add query parameter"
      />
      <Choice
        form={form}
        path="request.bodyType"
        label="Body"
        options={[
          { value: 'NONE', label: 'None' },
          { value: 'JSON', label: 'JSON' },
          { value: 'FORM', label: 'Form' },
          { value: 'GRAPHQL', label: 'GraphQL' },
          { value: 'RAW', label: 'Raw' },
        ]}
      />
      {bodyType !== 'NONE' && (
        <TextArea form={form} path="request.body" label="Content of the body" rows={6} isMono />
      )}
      <BasicAuth form={form} />
      <HttpSwitches form={form} />
    </>
  )
}

function UrlPart({ form }: PartProps) {
  return (
    <>
      <UrlField form={form} />
      <HttpSwitches form={form} />
    </>
  )
}

function UrlField({ form }: Pick<PartProps, 'form'>) {
  return (
    <TextInput
      form={form}
      path="request.url"
      label="URL"
      type="text"
      placeholder="https://example.com"
      description="{{NAME}} stands for a variable."
      isMono
    />
  )
}

function HttpSwitches({ form }: Pick<PartProps, 'form'>) {
  return (
    <div className="field-row">
      <Toggle form={form} path="request.followRedirects" label="Follow redirects" />
      <Toggle form={form} path="request.skipSSL" label="Accept any certificate" />
      <IpFamily form={form} />
    </div>
  )
}

function IpFamily({ form, path = 'request.ipFamily' }: Pick<PartProps, 'form'> & { path?: string }) {
  return <Choice form={form} path={path} label="IP version" options={ipFamilies} />
}

interface KeyValuesProps extends Pick<PartProps, 'form'> {
  path: string
  label: string
  addLabel: string
}

export function KeyValues({ form, path, label, addLabel }: KeyValuesProps) {
  return (
    <Rows
      form={form}
      path={path}
      label={label}
      addLabel={addLabel}
      newRow={() => ({ key: '', value: '', locked: false })}
      max={200}
    >
      {(row) => (
        <>
          <TextInput form={form} path={`${row}.key`} label="Name" isMono />
          <TextInput
            form={form}
            path={`${row}.value`}
            label="Value"
            type={valueAt(form.values, `${row}.locked`) === true ? 'password' : 'text'}
            isMono
          />
          <Toggle form={form} path={`${row}.locked`} label="Hide" />
        </>
      )}
    </Rows>
  )
}

export function BasicAuth({ form, path = 'request.basicAuth' }: Pick<PartProps, 'form'> & { path?: string }) {
  const isUsed = valueAt(form.values, path) !== null
  return (
    <>
      <label className="check-box">
        <input
          type="checkbox"
          checked={isUsed}
          onChange={({ target }) => form.set(path, target.checked ? { username: '', password: '' } : null)}
        />
        Sign in with a user name and a password (basic authentication)
      </label>
      {isUsed && (
        <div className="field-row">
          <TextInput form={form} path={`${path}.username`} label="User name" />
          <TextInput
            form={form}
            path={`${path}.password`}
            label="Password"
            type="password"
            autoComplete="new-password"
          />
        </div>
      )}
    </>
  )
}

function TcpPart({ form }: PartProps) {
  return (
    <>
      <div className="field-row">
        <TextInput form={form} path="request.hostname" label="Host" placeholder="example.com" isMono />
        <NumberInput form={form} path="request.port" label="Port" min={1} max={65_535} />
        <IpFamily form={form} />
      </div>
      <TextArea
        form={form}
        path="request.data"
        label="Data to send"
        description="Sent after connecting. Without data, the monitor waits for what the host sends."
        emptyAs={null}
        isMono
      />
    </>
  )
}

function DnsPart({ form }: PartProps) {
  return (
    <>
      <div className="field-row">
        <TextInput form={form} path="request.query" label="Name" placeholder="example.com" isMono />
        <Choice
          form={form}
          path="request.recordType"
          label="Record type"
          options={optionsOf(['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SOA', 'NS', 'HTTPS'])}
        />
      </div>
      <div className="field-row">
        <TextInput
          form={form}
          path="request.nameServer"
          label="Name server"
          description="Empty: public resolvers."
          emptyAs={null}
          isMono
        />
        <NumberInput form={form} path="request.port" label="Port of the name server" min={1} max={65_535} />
        <Choice form={form} path="request.protocol" label="Protocol" options={optionsOf(['UDP', 'TCP'])} />
      </div>
    </>
  )
}

function IcmpPart({ form }: PartProps) {
  return (
    <div className="field-row">
      <TextInput form={form} path="request.hostname" label="Host" placeholder="example.com" isMono />
      <NumberInput form={form} path="request.pingCount" label="Pings per run" min={1} max={50} />
      <IpFamily form={form} />
    </div>
  )
}

const severities = [
  { value: 'fail', label: 'fails' },
  { value: 'degrade', label: 'is degraded' },
  { value: 'ignore', label: 'isn’t judged' },
]

const baselineRules = [
  { name: 'minTLSVersion', label: 'TLS version below the minimum' },
  { name: 'minKeySizeBits', label: 'Key below the minimum size' },
  { name: 'weakSignatureAlgorithm', label: 'Weak signature algorithm' },
  { name: 'weakCipherSuite', label: 'Weak cipher suite' },
  { name: 'knownBadCA', label: 'Distrusted authority' },
  { name: 'recommendedTLSVersion', label: 'TLS version below the recommendation' },
  { name: 'recommendedKeySizeBits', label: 'Key below the recommended size' },
  { name: 'ocspMustStapleRespected', label: 'Missing stapled OCSP response' },
  { name: 'sctPresent', label: 'Missing certificate timestamp (SCT)' },
]

function SslPart({ form }: PartProps) {
  const certificates = useCertificates()
  const at = (name: string) => `request.sslConfig.${name}`
  const hasBaseline = valueAt(form.values, at('securityBaseline.enabled')) === true
  return (
    <>
      <div className="field-row">
        <TextInput form={form} path={at('hostname')} label="Host" placeholder="example.com" isMono />
        <NumberInput form={form} path={at('port')} label="Port" min={1} max={65_535} />
        <NumberInput
          form={form}
          path={at('alertDaysBeforeExpiry')}
          label="Degraded before it expires"
          unit="days"
          min={1}
          max={365}
        />
      </div>
      <div className="field-row">
        <TextInput
          form={form}
          path={at('serverName')}
          label="Server name"
          description="If it differs from the host."
          emptyAs={null}
          isMono
        />
        <NumberInput form={form} path={at('handshakeTimeoutMs')} label="Longest handshake" unit="ms" />
        <IpFamily form={form} path={at('ipFamily')} />
      </div>
      <Toggle
        form={form}
        path={at('skipChainValidation')}
        label="Accept any authority"
        description="Validity and name still count."
      />
      <Choice
        form={form}
        path={at('clientCertificateMode')}
        label="Client certificate"
        options={[
          { value: null, label: 'None' },
          { value: 'auto', label: 'By the host' },
          { value: 'explicit', label: 'A certain one' },
        ]}
      />
      {valueAt(form.values, at('clientCertificateMode')) === 'explicit' && (
        <Choice
          form={form}
          path="request.sslClientCertificateId"
          label="Certificate"
          options={certificates}
        />
      )}
      <Toggle
        form={form}
        path={at('securityBaseline.enabled')}
        label="Judge the security of the connection"
      />
      {hasBaseline && (
        <div className="field-row">
          {baselineRules.map(({ name, label }) => (
            <Choice
              key={name}
              form={form}
              path={at(`securityBaseline.${name}.severity`)}
              label={label}
              options={severities}
            />
          ))}
        </div>
      )}
    </>
  )
}

function GrpcPart({ form }: PartProps) {
  const at = (name: string) => `request.grpcConfig.${name}`
  const isHealth = valueAt(form.values, at('mode')) === 'HEALTH'
  return (
    <>
      <div className="field-row">
        <TextInput form={form} path="request.url" label="Host" placeholder="grpc.example.com" isMono />
        <NumberInput form={form} path="request.port" label="Port" min={1} max={65_535} />
        <Choice
          form={form}
          path={at('mode')}
          label="What to call"
          options={[
            { value: 'HEALTH', label: 'The health check' },
            { value: 'BEHAVIOR', label: 'A method' },
          ]}
        />
      </div>
      {isHealth ? (
        <TextInput
          form={form}
          path={at('service')}
          label="Service"
          description="Empty: the whole server."
          emptyAs={null}
          isMono
        />
      ) : (
        <>
          <div className="field-row">
            <TextInput
              form={form}
              path={at('method')}
              label="Method"
              placeholder="package.Service/Method"
              emptyAs={null}
              isMono
            />
            <Choice
              form={form}
              path={at('serviceDefinition')}
              label="Definition of the method"
              options={[
                { value: 'REFLECTION', label: 'From the server’s reflection' },
                { value: 'PROTO_FILE', label: 'From a proto file' },
              ]}
            />
          </div>
          {valueAt(form.values, at('serviceDefinition')) === 'PROTO_FILE' && (
            <TextArea
              form={form}
              path={at('protoContent')}
              label="Proto file"
              rows={8}
              emptyAs={null}
              isMono
            />
          )}
          <TextArea form={form} path={at('message')} label="Message (JSON)" emptyAs={null} isMono />
        </>
      )}
      <Rows
        form={form}
        path={at('metadata')}
        label="Metadata"
        addLabel="Add metadata"
        newRow={() => ({ key: '', value: '' })}
        max={50}
      >
        {(row) => (
          <>
            <TextInput form={form} path={`${row}.key`} label="Key" isMono />
            <TextInput form={form} path={`${row}.value`} label="Value" isMono />
          </>
        )}
      </Rows>
      <div className="field-row">
        <Toggle form={form} path={at('tls')} label="Use TLS" />
        <Toggle form={form} path="request.skipSSL" label="Accept any certificate" />
        <NumberInput form={form} path="request.timeout" label="Timeout" unit="s" min={1} max={180} />
        <IpFamily form={form} />
      </div>
    </>
  )
}

function TraceroutePart({ form }: PartProps) {
  return (
    <>
      <div className="field-row">
        <TextInput form={form} path="request.url" label="Host" placeholder="example.com" isMono />
        <Choice
          form={form}
          path="request.protocol"
          label="Protocol"
          options={optionsOf(['TCP', 'UDP', 'ICMP'])}
        />
        {valueAt(form.values, 'request.protocol') !== 'ICMP' && (
          <NumberInput form={form} path="request.port" label="Port" min={1} max={65_535} />
        )}
      </div>
      <div className="field-row">
        <NumberInput form={form} path="request.maxHops" label="Most hops" min={1} max={64} />
        <NumberInput
          form={form}
          path="request.maxUnknownHops"
          label="Stop after silent hops"
          min={1}
          max={30}
        />
        <NumberInput form={form} path="request.timeout" label="Timeout" unit="s" min={1} max={30} />
        <IpFamily form={form} />
      </div>
      <Toggle form={form} path="request.ptrLookup" label="Look up the names of hops" />
    </>
  )
}

function AgenticPart({ form }: PartProps) {
  return (
    <TextArea
      form={form}
      path="prompt"
      label="What to verify"
      rows={8}
      description="In words: addresses, what to do and what must be there. {{NAME}} stands for a variable. The first run writes a script, which later runs repeat."
      placeholder="Open https://example.com, search for “shoes” and verify that at least one product appears."
    />
  )
}
