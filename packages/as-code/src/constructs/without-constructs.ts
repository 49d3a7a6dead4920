// Variables, snippets, client certificates and triggers have no construct: a script creates them through the API.
import type { AccountResources, ExportedFile } from '../account-resources.ts'
import type { ResourceNames } from '../resource-names.ts'
import type { SecretNames } from '../secret-names.ts'
import { Reference, toSource } from '../source.ts'
import { inOrder } from './construct-file.ts'

export const scriptName = 'without-constructs.mjs'

export function withoutConstructs(
  resources: AccountResources,
  names: ResourceNames,
  secrets: SecretNames,
): ExportedFile[] {
  const secret = (resource: string, logicalId: string, field: string) =>
    new Reference(secrets.nameOf({ resource, logicalId }, field))
  const variables = inOrder(resources.variables, ({ key }) => names.of('variable', key)).map(
    ({ one: { key, value, locked, secret: isSecret } }) => {
      const isHidden = isSecret || locked || value === null
      const shown = isHidden ? secret(`variable ${key}`, 'variable', key) : value
      return { key, value: shown, locked, secret: isSecret }
    },
  )
  const snippets = inOrder(resources.snippets, ({ id }) => names.of('snippet', id)).map(
    ({ one: { name, script } }) => ({ name, script }),
  )
  const certificates = inOrder(resources.clientCertificates, ({ id }) =>
    names.of('client-certificate', id),
  ).map(({ one: { host, cert, ca }, name: { logicalId } }) => {
    const owner = `client certificate of ${host}`
    return {
      ...{ host, cert, ca },
      key: secret(owner, `${logicalId} certificate`, 'key'),
      passphrase: secret(owner, `${logicalId} certificate`, 'passphrase'),
    }
  })
  const triggers = inOrder(resources.triggers, ({ id }) => names.of('trigger', id)).flatMap(
    ({ one: { checkId, groupId } }) => {
      const check = checkId === null ? undefined : names.of('check', checkId)
      const group = groupId === null ? undefined : names.of('check-group', groupId)
      if (check !== undefined) return [{ of: 'checks', logicalId: check.logicalId }]
      return group === undefined ? [] : [{ of: 'check-groups', logicalId: group.logicalId }]
    },
  )
  const count = variables.length + snippets.length + certificates.length + triggers.length
  if (count === 0) return []
  return [{ path: scriptName, text: scriptOf({ variables, snippets, certificates, triggers }) }]
}

function scriptOf(lists: Record<'variables' | 'snippets' | 'certificates' | 'triggers', unknown[]>): string {
  return `// Creates what has no construct. Before the deployment: variables, snippets and client certificates. After it: triggers.
// node --env-file=.env ${scriptName} before
// node --env-file=.env ${scriptName} after
const variables = ${toSource(lists.variables)}

const snippets = ${toSource(lists.snippets)}

const certificates = ${toSource(lists.certificates)}

const triggers = ${toSource(lists.triggers)}

const { CHECKLY_API_URL: url, CHECKLY_API_KEY: key, CHECKLY_ACCOUNT_ID: account } = process.env
if (!url || !key || !account) throw new Error('Set CHECKLY_API_URL, CHECKLY_API_KEY and CHECKLY_ACCOUNT_ID')

async function call(method, path, body) {
  const headers = { authorization: \`Bearer \${key}\`, 'x-service-account': account }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
  if (response.status === 409) return console.log(\`\${path}: exists already\`)
  if (!response.ok) throw new Error(\`\${path}: \${response.status} \${await response.text()}\`)
  return response.json()
}

async function idOf(kind, logicalId) {
  for (let page = 1; ; page += 1) {
    const list = await call('GET', \`/v1/\${kind}?limit=100&page=\${page}\`)
    const found = list.find((one) => one.logicalId === logicalId)
    if (found) return found.id
    if (list.length < 100) throw new Error(\`\${logicalId} isn't deployed\`)
  }
}

const step = process.argv[2]
if (step === 'before') {
  for (const body of variables) await call('POST', '/v1/variables', body)
  for (const body of snippets) await call('POST', '/v1/snippets', body)
  for (const { passphrase, ...body } of certificates)
    await call('POST', '/v1/client-certificates', { ...body, passphrase: passphrase || null })
} else if (step === 'after') {
  for (const { of, logicalId } of triggers)
    await call('POST', \`/v1/triggers/\${of}/\${await idOf(of, logicalId)}\`)
} else {
  throw new Error('Say which step: before or after')
}
`
}
