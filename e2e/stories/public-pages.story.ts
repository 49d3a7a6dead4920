// What visitors see, in a real browser, of an installation that runs checks and sends mails.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { openBrowser } from '../browser.ts'
import { MailServer } from '../receivers/mail-server.ts'
import { Scene } from '../scene.ts'
import { automation } from './public-pages/automation.ts'
import { copies } from './public-pages/copies.ts'
import { dashboards } from './public-pages/dashboards.ts'
import { incidents } from './public-pages/incidents.ts'
import { maintenance } from './public-pages/maintenance.ts'
import { privatePages } from './public-pages/private-pages.ts'
import type { Stage } from './public-pages/stage.ts'
import { timeTravel } from './public-pages/time-travel.ts'

describe('public pages', { timeout: 180_000 }, () => {
  const scene = new Scene()
  let mail: MailServer
  let browser: Browser
  const stage: Stage = {
    scene,
    get mail() {
      return mail
    },
    get browser() {
      return browser
    },
  }

  beforeAll(async () => {
    mail = await MailServer.open()
    browser = await openBrowser()
    await scene.open(mail.settings)
  }, 180_000)
  afterAll(async () => {
    await browser.close()
    await scene.close()
    await mail.shut()
    expect(mail.faults).toEqual([])
  })

  describe('an incident', () => incidents(stage))
  describe('maintenance', () => maintenance(stage))
  describe('an automation rule', () => automation(stage))
  describe('a copy', () => copies(stage))
  describe('time travel', () => timeTravel(stage))
  describe('private pages', () => privatePages(stage))
  describe('dashboards', () => dashboards(stage))
})
