// People sign in to the app: by password, with an authenticator app, by passkey, and with the operator's identity provider.
import { createHmac } from 'node:crypto'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../../browser.ts'
import { IdentityProvider } from '../../identity-provider.ts'
import { Scene } from '../../scene.ts'
import { until } from '../../until.ts'

const email = 'ann@corp.example'
const password = 'correct horse battery'

describe('signing in', { timeout: 120_000 }, () => {
  const scene = new Scene()
  let provider: IdentityProvider
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let device: CDPSession
  /** At localhost browsers have passkeys, at an IP address they don't. */
  let origin: string
  let secret: string
  let recoveryCodes: string[]

  beforeAll(async () => {
    provider = await IdentityProvider.open()
    await scene.open({
      ...provider.settings,
      OIDC_LABEL: 'Corp',
      OIDC_ALLOWED_DOMAINS: 'corp.example',
      OIDC_ROLES: 'monitoring=READ_WRITE',
    })
    origin = `http://localhost:${scene.installation.port}`
    provider.serve(`${origin}/login/sso`)
    browser = await openBrowser()
    context = await browser.newContext()
    page = await context.newPage()
    const root = () => fetch(scene.account.baseUrl, { headers: { accept: 'text/html' } })
    await until('the app', async () => (await (await root()).text()).includes('vedette-build'), 60_000)
    const link = /(\S+\/setup#\S+)/.exec(scene.running.output())?.[1] ?? ''
    await page.goto(link.replace(/^https?:\/\/[^/]+/, origin))
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await page.getByRole('button', { name: 'Skip' }).click()
    await home()
    device = await context.newCDPSession(page)
    await device.send('WebAuthn.enable')
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await provider?.close()
    await scene.close()
  })

  const home = () => page.getByRole('heading', { name: 'Home' }).waitFor()
  const signOut = async () => {
    await page.getByRole('button', { name: /^User menu/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }
  const enterPassword = async () => {
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  const security = async () => {
    await page.goto(`${origin}/settings/security`)
    await page.getByRole('heading', { name: 'Passkeys' }).waitFor()
  }
  const keepCodes = async () => {
    const dialog = page.getByRole('dialog', { name: 'Keep your recovery codes' })
    const items = dialog.getByRole('listitem')
    await items.first().waitFor()
    recoveryCodes = await items.allTextContents()
    expect(recoveryCodes).toHaveLength(10)
    await dialog.getByRole('button', { name: 'I have kept them' }).click()
    await dialog.waitFor({ state: 'hidden' })
  }
  /** The one after this: that of the present step may have been used. */
  const nextCode = () => codeOf(secret, Date.now() + 30_000)

  it('by password, back to where the person wanted to go', async () => {
    await signOut()
    await page.goto(`${origin}/checks?state=failing`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Email and password don’t match.').waitFor()
    await enterPassword()
    await page.getByRole('heading', { name: 'Checks' }).waitFor()
    expect(page.url()).toContain('?state=failing')
  })

  it('adds an authenticator app by its QR code or key, and shows recovery codes once', async () => {
    await security()
    await page.getByRole('button', { name: 'Add an app' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' })
    await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
    await dialog.getByLabel('Code', { exact: true }).fill('000000')
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    await dialog.getByText('That code is wrong.').waitFor()
    await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret, Date.now()))
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    await keepCodes()
    await page.getByText('10 of 10 recovery codes are left.').waitFor()
  })

  it('by password and code', async () => {
    await signOut()
    await enterPassword()
    await page.getByLabel('Code', { exact: true }).fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('That code is wrong, or was used already.').waitFor()
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('vedette-sign-in')
    await page.getByLabel('Code', { exact: true }).fill(nextCode())
    await page.getByRole('button', { name: 'Continue' }).click()
    await home()
  })

  it('by password and recovery code, which works once', async () => {
    const [code = ''] = recoveryCodes
    await signOut()
    await enterPassword()
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(code)
    await page.getByRole('button', { name: 'Continue' }).click()
    await home()
    await signOut()
    await enterPassword()
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(code)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('That code is wrong, or was used already.').waitFor()
    await page.getByLabel('Recovery code').fill(recoveryCodes[1] ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await home()
    await security()
    await page.getByText('8 of 10 recovery codes are left.').waitFor()
  })

  it('on top of the screen when the session ends, with the code', async () => {
    await page.goto(`${origin}/checks`)
    await page.getByRole('heading', { name: 'Checks' }).waitFor()
    const ended = await context.request.delete(`${origin}/v1/sign-in`, {
      headers: { 'x-vedette-app': '1', origin },
    })
    expect(ended.status()).toBe(204)
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password').fill(password)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.getByRole('button', { name: 'Use a recovery code' }).click()
    await dialog.getByLabel('Recovery code').fill(recoveryCodes[2] ?? '')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(new URL(page.url()).pathname).toBe('/checks')
  })

  it('by passkey alone', async () => {
    const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await security()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Laptop')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Laptop', { exact: true }).waitFor()
    await page.getByText(/not used yet/).waitFor()
    await signOut()
    // Without a fingerprint or PIN the device refuses.
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('No passkey was used.').waitFor()
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await home()
  })

  it('confirms a change by passkey, or by password and code', async () => {
    // Ten minutes later: the first attempt is refused.
    const refuseOnce = () =>
      page.route(
        '**/v1/users/me/recovery-codes',
        (route) => route.fulfill({ status: 403, json: { attributes: { code: 'confirmation_required' } } }),
        { times: 1 },
      )
    await security()
    for (const way of ['passkey', 'code'] as const) {
      await refuseOnce()
      await page.getByRole('button', { name: 'Replace recovery codes' }).click()
      const dialog = page.getByRole('dialog', { name: 'Confirm that it’s you' })
      await dialog.getByLabel('Password').waitFor()
      if (way === 'passkey') await dialog.getByRole('button', { name: 'Use a passkey' }).click()
      else {
        await dialog.getByLabel('Password').fill(password)
        await dialog.getByRole('button', { name: 'Use a recovery code' }).click()
        await dialog.getByLabel('Recovery code').fill('aaaa-aaaa-aaaa-aaaa')
        await dialog.getByRole('button', { name: 'Continue' }).click()
        await dialog.getByText('That code is wrong, or was used already.').waitFor()
        await dialog.getByLabel('Recovery code').fill(recoveryCodes[0] ?? '')
        await dialog.getByRole('button', { name: 'Continue' }).click()
      }
      await keepCodes()
    }
  })

  it('renames and removes the passkey, and turns off the app', async () => {
    await page.getByRole('button', { name: 'Rename Laptop' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Work laptop')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Remove Work laptop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Work laptop', { exact: true }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('button', { name: 'Add an app' }).waitFor()
    await signOut()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('This passkey isn’t registered here.').waitFor()
    await enterPassword()
    await home()
  })

  it('with the identity provider: a new person gets the role of their group', async () => {
    provider.people.push({
      ...{ sub: 'pat', email: 'pat@corp.example', email_verified: true, name: 'Pat' },
      groups: ['monitoring'],
    })
    const own = await browser.newContext()
    const visitor = await own.newPage()
    await visitor.goto(`${origin}/settings/security`)
    await visitor.getByRole('button', { name: 'Sign in with Corp' }).click()
    await visitor.getByRole('link', { name: 'Continue as pat@corp.example' }).click()
    await visitor.getByRole('heading', { name: 'Security' }).waitFor()
    await visitor.getByText('pat@corp.example').waitFor()
    expect(visitor.url()).toBe(`${origin}/settings/security`)
    const { accounts } = await (await own.request.get(`${origin}/v1/sign-in`)).json()
    expect(accounts.map(({ role }: { role: string }) => role)).toEqual(['READ_WRITE'])
    await own.close()
  })

  it('with the identity provider: says why someone is refused', async () => {
    provider.people.push({
      ...{ sub: 'eve', email: 'eve@evil.example', email_verified: true, name: 'Eve' },
      groups: ['monitoring'],
    })
    const own = await browser.newContext()
    const visitor = await own.newPage()
    await visitor.goto(`${origin}/login`)
    await visitor.getByRole('button', { name: 'Sign in with Corp' }).click()
    await visitor.getByRole('link', { name: 'Cancel' }).click()
    await visitor.getByText('You canceled the sign-in with Corp').waitFor()
    await visitor.getByRole('link', { name: 'Back to sign in' }).click()
    await visitor.getByRole('button', { name: 'Sign in with Corp' }).click()
    await visitor.getByRole('link', { name: 'Continue as eve@evil.example' }).click()
    await visitor.getByText('eve@evil.example may not join by itself.').waitFor()
    expect(visitor.url()).toBe(`${origin}/login/sso`)
    await visitor.goto(`${origin}/login/sso`)
    await visitor.getByText('Begin at the sign-in page').waitFor()
    await own.close()
  })

  it('hides passkeys at an address where browsers have none, and says why', async () => {
    const elsewhere = `http://127.0.0.1:${scene.installation.port}`
    const own = await browser.newContext()
    const visitor = await own.newPage()
    await visitor.goto(`${elsewhere}/login`)
    await visitor.getByRole('button', { name: 'Sign in with Corp' }).waitFor()
    expect(await visitor.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0)
    await visitor.getByLabel('Email').fill(email)
    await visitor.getByLabel('Password').fill(password)
    await visitor.getByRole('button', { name: 'Sign in', exact: true }).click()
    await visitor.getByRole('heading', { name: 'Home' }).waitFor()
    await visitor.goto(`${elsewhere}/settings/security`)
    await visitor.getByText(`Passkeys work at ${origin}: open the app there.`).waitFor()
    await own.close()
  })
})

/** What an authenticator app shows (RFC 6238). */
function codeOf(secret: string, at: number): string {
  const bits = [...secret]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 0xf) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}
