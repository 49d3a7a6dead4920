import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Stage, startStage } from './maintenance.fixture.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage('2026-11-16T12:00:00Z')
})
afterAll(() => stage.api.close())

/** Unfolds, then reads name and value of each line. */
function parse(text: string): { name: string; value: string }[] {
  const lines = text.replaceAll('\r\n ', '').split('\r\n')
  expect(lines.pop()).toBe('')
  return lines.map((line) => {
    const [, name = '', value = ''] = /^([A-Z-]+)[^:]*:(.*)$/.exec(line) ?? []
    expect(name, line).not.toBe('')
    return { name, value }
  })
}

const readText = (value: string) =>
  value.replace(/\\([\\;,n])/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped))

async function publish(values: Record<string, unknown>, visibility: Record<string, unknown> = {}) {
  const page = await stage.page([await stage.service('Checkout; cards, and more')], { name: 'Acme, Inc.' })
  const id = await stage.maintain(page, values, visibility)
  return { page, id }
}

const once = { startsAt: '2026-11-20T08:00:00Z', endsAt: '2026-11-20T09:00:00Z' }

it('has one event per occurrence of the next 90 days', async () => {
  const { page, id } = await publish({
    ...once,
    ...{ repeatInterval: 1, repeatUnit: 'MONTH', timezone: 'America/New_York', name: 'Patch day' },
  })
  const { status, headers, text } = await stage.open(`/s/${page.url}/maintenance.ics`)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8'])
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('etag')).toMatch(/^"/)
  const lines = parse(text)
  const all = (wanted: string) => lines.filter(({ name }) => name === wanted).map(({ value }) => value)
  expect([lines[0]?.value, lines.at(-1)?.value]).toEqual(['VCALENDAR', 'VCALENDAR'])
  expect(all('VERSION')).toEqual(['2.0'])
  expect(all('NAME').map(readText)).toEqual(['Acme, Inc.'])
  expect(all('DTSTART')).toEqual([
    '19700101T000000',
    '20261120T080000Z',
    '20261220T080000Z',
    '20270120T080000Z',
  ])
  expect(all('DTEND')).toEqual(['20261120T090000Z', '20261220T090000Z', '20270120T090000Z'])
  expect(all('UID')).toEqual(
    ['20261120', '20261220', '20270120'].map((day) => `${id}-${day}T080000Z@${page.id}`),
  )
  expect(all('SUMMARY')).toEqual(['Patch day', 'Patch day', 'Patch day'])
  expect(all('DESCRIPTION').map(readText)[0]).toBe('Affects: Checkout; cards, and more')
  expect(all('URL')[0]).toBe(`http://vedette.test/s/${page.url}/maintenance/${id}-20261120T080000Z`)
})

it('escapes texts, and folds lines at 75 octets without breaking characters', async () => {
  const name = `Datenbank ${'ä€🚀'.repeat(15)}`
  const description = 'One; two, three \\ four\r\nEND:VEVENT\nBEGIN:VALARM\u0007'
  const { page } = await publish({ ...once, name, description }, { severity: 'CRITICAL' })
  const { text } = await stage.open(`/s/${page.url}/maintenance.ics`)
  for (const line of text.split('\r\n')) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(line).not.toMatch(/[\r\n\ufffd]/)
    expect(line).not.toContain('\u0007')
  }
  const lines = parse(text)
  const value = (wanted: string) => readText(lines.find((line) => line.name === wanted)?.value ?? '')
  expect(value('SUMMARY')).toBe(name)
  expect(value('DESCRIPTION')).toBe(
    'One; two, three \\ four\nEND:VEVENT\nBEGIN:VALARM\n\nAffects: Checkout; cards, and more\n\nExpected impact: Major outage',
  )
  expect(lines.filter((line) => line.name === 'BEGIN').map((line) => line.value)).toEqual([
    ...['VCALENDAR', 'VTIMEZONE', 'STANDARD', 'VEVENT'],
  ])
})

it('is a calendar without events if nothing is planned; 404: for an unknown page', async () => {
  const page = await stage.page([await stage.service('Search')])
  const { status, text } = await stage.open(`/s/${page.url}/maintenance.ics`)
  expect(status).toBe(200)
  expect(text).not.toContain('VEVENT')
  expect((await stage.open('/s/unknown/maintenance.ics')).status).toBe(404)
})

it('is the same until the window changes', async () => {
  const { page, id } = await publish(once)
  const read = async () => (await stage.open(`/s/${page.url}/maintenance.ics`)).text
  const before = await read()
  expect(await read()).toBe(before)
  await stage.api.alice.put(`/v1/maintenance-windows/${id}`, { name: 'Renamed' })
  expect(await read()).toContain('SUMMARY:Renamed')
})

it('has maintenance in the feeds, dated by its announcement', async () => {
  const { page, id } = await publish({ ...once, description: 'A new version.' })
  const { text } = await stage.open(`/s/${page.url}/feed.json`)
  const { items } = JSON.parse(text)
  expect(items).toEqual([
    {
      id: `urn:x-vedette:maintenance:${id}-20261120T080000Z`,
      url: `http://vedette.test/s/${page.url}/maintenance/${id}-20261120T080000Z`,
      title: 'Maintenance: New database',
      content_text: expect.stringMatching(
        /^Planned: Nov 20, 2026, 08:00 – 09:00 UTC\n\nAffects: .*\n\nA new version\.$/,
      ),
      date_published: expect.any(String),
      date_modified: expect.any(String),
    },
  ])
  const published = Date.parse(items[0].date_published)
  expect(published).toBeGreaterThanOrEqual(Date.parse('2026-11-06T08:00:00Z'))
  expect(published).toBeLessThanOrEqual(Date.parse(once.startsAt))
  const atom = (await stage.open(`/s/${page.url}/feed.atom`)).text
  expect(atom).toContain('<title>Maintenance: New database</title>')
})
