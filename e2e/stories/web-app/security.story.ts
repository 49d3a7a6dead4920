// What other sites, other people and injected code try with a browser in which someone is signed in.
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AppScene, owner } from './app-scene.ts'

const cookieName = 'vedette-sign-in'

describe('someone who is signed in', { timeout: 60_000 }, () => {
  const app = new AppScene()
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    await app.open()
    ;({ context, page } = await app.signIn())
  }, 180_000)
  afterAll(() => app.close())

  const cookieOf = async (of: BrowserContext) =>
    (await of.cookies(app.url)).find(({ name }) => name === cookieName)
  const snippets = async () => ((await (await app.account.fetch('/v1/snippets')).json()) as unknown[]).length

  /** A page of another site: the host of the app is another one. */
  async function openAttack(body: string): Promise<Page> {
    app.site.on('/attack', { headers: { 'content-type': 'text/html' }, body: `<!doctype html>${body}` })
    const attack = await context.newPage()
    await attack.goto(app.site.url('/attack'))
    return attack
  }

  it('has a cookie that scripts and other sites do not see', async () => {
    const { httpOnly, sameSite, domain } = (await cookieOf(context)) ?? {}
    expect({ httpOnly, sameSite, domain }).toEqual({ httpOnly: true, sameSite: 'Lax', domain: '127.0.0.1' })
    expect(await page.evaluate('document.cookie')).toBe('')
  })

  it('gets a new cookie at every sign-in: one that was planted never becomes valid', async () => {
    const other = await app.browser.newContext()
    await other.addCookies([{ name: cookieName, value: 'planted', url: app.url }])
    const tab = await other.newPage()
    await tab.goto(`${app.url}/login`)
    await tab.getByLabel('Email').fill(owner.email)
    await tab.getByLabel('Password').fill(owner.password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByRole('heading', { name: 'Home' }).waitFor()
    expect((await cookieOf(other))?.value).toMatch(/^[\w-]{43}$/)
    const planted = await fetch(`${app.url}/v1/sign-in`, { headers: { cookie: `${cookieName}=planted` } })
    expect(planted.status).toBe(401)
    await other.close()
  })

  it.each([
    ['application/x-www-form-urlencoded', '<input name=name value=evil><input name=script value=x>'],
    ['text/plain', `<input name='{"name":"evil","script":"' value='x"}'>`],
    ['multipart/form-data', '<input name=name value=evil>'],
  ])('changes nothing by a form of another site: %s', async (type, fields) => {
    const attack = await openAttack(
      `<form method=post action="${app.url}/v1/snippets" enctype="${type}">${fields}<button>Go</button></form>`,
    )
    const [response] = await Promise.all([
      attack.waitForResponse('**/v1/snippets'),
      attack.getByRole('button').click(),
    ])
    expect(response.status()).toBeGreaterThanOrEqual(400)
    expect(await snippets()).toBe(0)
    await attack.close()
  })

  it.each(['cors', 'no-cors'])('changes and shows nothing to requests of another site: %s', async (mode) => {
    const attack = await openAttack('<title>Attack</title>')
    const outcome = await attack.evaluate(
      async ({ url, mode }) => {
        const outcomes: string[] = []
        for (const [method, path] of [
          ['GET', '/v1/checks'],
          ['POST', '/v1/snippets'],
          ['DELETE', '/v1/sign-in'],
        ] as const) {
          const init = { method, mode: mode as 'cors', credentials: 'include' as const }
          const body = method === 'POST' ? { body: '{"name":"evil","script":"x"}' } : {}
          outcomes.push(
            await fetch(url + path, { ...init, ...body }).then(
              (response) => response.text(),
              () => '',
            ),
          )
        }
        return outcomes
      },
      { url: app.url, mode },
    )
    expect(outcome).toEqual(['', '', ''])
    expect(await snippets()).toBe(0)
    expect((await context.request.get(`${app.url}/v1/sign-in`)).status()).toBe(200)
    await attack.close()
  })

  it('sees no frame of the app on another site', async () => {
    const attack = await openAttack(
      ['/', '/checks', '/login'].map((path) => `<iframe src="${app.url}${path}"></iframe>`).join(''),
    )
    await attack.waitForLoadState('networkidle')
    for (const frame of attack.frames().slice(1)) {
      expect(frame.url()).toMatch(/^chrome-error:/)
      expect(await frame.locator('#root, h1, form').count()).toBe(0)
    }
    await attack.close()
  })

  it('keeps the app unreachable for a page that opened it', async () => {
    const attack = await openAttack('<button onclick="window.opened = window.open(this.value)">Open</button>')
    await attack.evaluate(`document.querySelector('button').value = ${JSON.stringify(app.url)}`)
    const [opened] = await Promise.all([context.waitForEvent('page'), attack.getByRole('button').click()])
    await opened.getByRole('heading', { name: 'Home' }).waitFor()
    expect(await opened.evaluate('opener')).toBeNull()
    expect(await attack.evaluate('opened.closed')).toBe(true)
    await opened.close()
    await attack.close()
  })

  it.each([
    '//evil.example/x',
    'https://evil.example',
    '/\\evil.example',
    '/%09/evil.example',
    'javascript:alert(1)',
    '/./ /evil.example',
  ])('stays in the app after signing in with next=%s', async (next) => {
    const { context: other, page: tab } = await app.signIn()
    await other.clearCookies()
    await tab.goto(`${app.url}/login?next=${encodeURIComponent(next)}`)
    await tab.getByLabel('Email').fill(owner.email)
    await tab.getByLabel('Password').fill(owner.password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Sign in' }).waitFor()
    expect(new URL(tab.url()).origin).toBe(app.url)
    await other.close()
  })

  it('is protected by a policy that runs no injected code and loads from no other host', async () => {
    const response = await page.goto(`${app.url}/checks`)
    const policy = response?.headers()['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:|blob:/)
    await page.getByRole('heading', { name: 'Checks' }).waitFor()
    const before = app.site.requests.length
    const violations = await page.evaluate(
      async ({ outside }) => {
        // Runs in the page.
        const { document } = globalThis as unknown as {
          document: {
            createElement(name: string): Record<string, unknown>
            body: {
              append(...elements: unknown[]): void
              insertAdjacentHTML(where: string, html: string): void
            }
            addEventListener(name: string, listener: (event: { effectiveDirective: string }) => void): void
          }
        }
        const found = new Set<string>()
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          found.add(effectiveDirective)
        })
        const make = (name: string, values: object) =>
          document.body.append(Object.assign(document.createElement(name), values))
        make('script', { textContent: 'globalThis.ran = 1' })
        make('script', { src: `${outside}/x.js` })
        make('img', { src: `${outside}/x.png` })
        make('video', { src: `${outside}/x.mp4` })
        make('iframe', { src: `${outside}/frame` })
        make('link', { rel: 'stylesheet', href: `${outside}/x.css` })
        document.body.insertAdjacentHTML(
          'beforeend',
          '<img src="/none" onerror="globalThis.ran = 1"><p style="color: red">',
        )
        await fetch(`${outside}/data`).catch(() => null)
        for (let turn = 0; found.size < 8 && turn < 100; turn++)
          await new Promise((resolve) => setTimeout(resolve, 50))
        return [...found].sort()
      },
      { outside: app.site.url('') },
    )
    expect(violations).toEqual([
      ...['connect-src', 'frame-src', 'img-src', 'media-src', 'script-src-attr', 'script-src-elem'],
      ...['style-src-attr', 'style-src-elem'],
    ])
    expect(await page.evaluate('globalThis.ran')).toBeUndefined()
    expect(app.site.requests.length).toBe(before)
  })

  it('sees nothing of accounts that are not theirs', async () => {
    const made = await app.scene.installation.operate('accounts', 'create', '--name', 'Other', '--json')
    const { id } = JSON.parse(made) as { id: string }
    await page.goto(`${app.url}/accounts/${id}/checks`)
    await page.getByText('doesn’t exist').first().waitFor()
    const direct = await context.request.get(`${app.url}/v1/checks`, { headers: { 'x-service-account': id } })
    expect(direct.status()).toBe(404)
  })
})

describe('someone who guesses', { timeout: 60_000 }, () => {
  const app = new AppScene()
  beforeAll(() => app.open(), 180_000)
  afterAll(() => app.close())

  it('learns nothing about emails, and has to wait longer each time; the owner has not', async () => {
    const { page: own } = await app.signIn()
    const context = await app.browser.newContext()
    const page = await context.newPage()
    await page.goto(`${app.url}/login`)
    const guess = async (email: string) => {
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill('a wrong password')
      const response = page.waitForResponse('**/v1/sign-in')
      await page.getByRole('button', { name: 'Sign in' }).click()
      const status = (await response).status()
      return [status, await page.getByRole('alert').textContent()]
    }
    expect(await guess(owner.email)).toEqual(await guess('nobody@example.com'))
    let last = await guess(owner.email)
    for (let turn = 0; last[0] === 401 && turn < 10; turn++) last = await guess(owner.email)
    expect(last).toEqual([429, expect.stringMatching(/^Too many attempts\. Try again in \d+ seconds\.$/)])
    // The owner is still signed in.
    await own.reload()
    await own.getByRole('heading', { name: 'Home' }).waitFor()
    await context.close()
  })
})
