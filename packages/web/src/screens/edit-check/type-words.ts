// The thirteen types, each in a sentence, and what code checks can begin with.
import type { OverviewCheck } from '../../api/types.ts'

type CheckType = OverviewCheck['checkType']

export const typeGroups: readonly { title: string; types: readonly CheckType[] }[] = [
  { title: 'Websites and APIs', types: ['URL', 'API', 'BROWSER', 'MULTI_STEP', 'PLAYWRIGHT', 'AGENTIC'] },
  { title: 'Network', types: ['TCP', 'DNS', 'ICMP', 'SSL', 'GRPC', 'TRACEROUTE'] },
  { title: 'Jobs', types: ['HEARTBEAT'] },
]

export const typeSentences: Record<CheckType, string> = {
  URL: 'Requests a page and checks its status.',
  API: 'Sends an HTTP request and checks status, headers, body and time.',
  BROWSER: 'Runs a Playwright script in a browser.',
  MULTI_STEP: 'Runs a script of several API requests.',
  PLAYWRIGHT: 'Runs a whole Playwright suite from an archive.',
  AGENTIC: 'Verifies what you describe in words.',
  TCP: 'Connects to a port and checks what it responds.',
  DNS: 'Looks up a record and checks the response.',
  ICMP: 'Pings a host and watches latency and packet loss.',
  SSL: 'Watches a certificate, its chain and the TLS connection.',
  GRPC: 'Calls a gRPC method or its health check.',
  TRACEROUTE: 'Traces the path to a host, hop by hop.',
  HEARTBEAT: 'Expects a ping from your job, and says when it is missing.',
}

export interface Template {
  id: string
  title: string
  sentence: string
  script: string
}

const browserTemplates: readonly Template[] = [
  {
    id: 'page',
    title: 'A page loads',
    sentence: 'Opens a page and checks its title.',
    script: `import { expect, test } from '@playwright/test'

test('the page loads', async ({ page }) => {
  const response = await page.goto(process.env.ENVIRONMENT_URL || 'https://example.com')
  expect(response?.status()).toBeLessThan(400)
  await expect(page).toHaveTitle(/Example/)
  await page.screenshot({ path: 'page.png' })
})
`,
  },
  {
    id: 'sign-in',
    title: 'Someone signs in',
    sentence: 'Fills in a form with the secrets EMAIL and PASSWORD.',
    script: `import { expect, test } from '@playwright/test'

test('sign in', async ({ page }) => {
  await page.goto('https://example.com/login')
  await page.getByLabel('Email').fill(process.env.EMAIL ?? '')
  await page.getByLabel('Password').fill(process.env.PASSWORD ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('Welcome')).toBeVisible()
})
`,
  },
  {
    id: 'search',
    title: 'Someone searches',
    sentence: 'Types into a search field and checks the results.',
    script: `import { expect, test } from '@playwright/test'

test('search finds something', async ({ page }) => {
  await page.goto('https://example.com')
  await page.getByRole('searchbox').fill('shoes')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('article').first()).toBeVisible()
})
`,
  },
]

const multiStepTemplates: readonly Template[] = [
  {
    id: 'crud',
    title: 'Create, read, delete',
    sentence: 'Creates a resource, reads it and deletes it again.',
    script: `import { expect, test } from '@playwright/test'

const baseUrl = process.env.ENVIRONMENT_URL || 'https://api.example.com'

test('orders', async ({ request }) => {
  const created = await test.step('create', () =>
    request.post(\`\${baseUrl}/orders\`, { data: { product: 'shoes' } }))
  expect(created.status()).toBe(201)
  const { id } = await created.json()
  const read = await test.step('read', () => request.get(\`\${baseUrl}/orders/\${id}\`))
  expect(read).toBeOK()
  const deleted = await test.step('delete', () => request.delete(\`\${baseUrl}/orders/\${id}\`))
  expect(deleted).toBeOK()
})
`,
  },
  {
    id: 'token',
    title: 'Token, then a request',
    sentence: 'Gets a token with the secret CLIENT_SECRET and uses it.',
    script: `import { expect, test } from '@playwright/test'

test('a request with a token', async ({ request }) => {
  const token = await request.post('https://api.example.com/token', {
    form: { client_id: 'monitor', client_secret: process.env.CLIENT_SECRET ?? '' },
  })
  expect(token).toBeOK()
  const { access_token } = await token.json()
  const response = await request.get('https://api.example.com/me', {
    headers: { authorization: \`Bearer \${access_token}\` },
  })
  expect(response).toBeOK()
})
`,
  },
]

const suiteTemplates: readonly Template[] = [
  {
    id: 'suite',
    title: 'A suite of your repository',
    sentence: 'Needs an archive with package.json, the Playwright configuration and the tests.',
    script: '',
  },
]

export function templatesOf(type: CheckType): readonly Template[] {
  if (type === 'BROWSER') return browserTemplates
  if (type === 'MULTI_STEP') return multiStepTemplates
  return type === 'PLAYWRIGHT' ? suiteTemplates : []
}
