// Requirements of every channel: for any message it renders valid requests, deterministically, without secrets of its config in
// readable text.
import type { ChannelType } from '@vedette/contracts'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { everyMessage } from '../message/message.fixture.ts'
import { exampleTools } from './channel.fixture.ts'
import type { ChannelTools, Part } from './channel.ts'
import { channelOf } from './index.ts'
import type { HttpCall } from './transport/http.ts'
import type { Mail } from './transport/smtp.ts'

export interface Conforming {
  name: string
  type: ChannelType
  /** The config as parsed by the contract. */
  config: Record<string, unknown>
  tools?: Partial<ChannelTools>
  /** Values that the body must not contain. */
  secrets: string[]
  /** The body doesn't contain the title. */
  isWithoutTitle?: boolean
}

export function conformsToChannel(subject: Conforming): void {
  const tools = exampleTools(subject.tools)

  describe(`${subject.name}: a channel`, () => {
    it.each(everyMessage())('renders %s', async (_, message) => {
      const render = () => channelOf(subject.type).render(structuredClone(message), subject.config, tools)
      const parts = await render()
      expect(await render()).toEqual(parts)
      expect(parts.length).toBeGreaterThan(0)
      expect(new Set(parts.map(({ key }) => key)).size).toBe(parts.length)
      for (const part of parts) {
        const text = await readPart(part)
        for (const secret of subject.secrets) expect(text).not.toContain(secret)
        // Only the first characters, because texts have limits, and without characters that some protocols cannot transport.
        if (!subject.isWithoutTitle) expect(plain(text)).toContain(plain(message.title.slice(0, 40)))
      }
    })
  })
}

/** Fails if the part can't be sent or read; returns the visible text. */
async function readPart(part: Part): Promise<string> {
  return 'mail' in part ? readMail(part.mail) : readCall(part.http)
}

function readCall({ method, url, headers, body }: HttpCall): string {
  expect(new URL(url).protocol).toMatch(/^https?:$/)
  expect(['GET', 'POST', 'PUT', 'PATCH', 'HEAD', 'DELETE']).toContain(method)
  for (const [name, value] of Object.entries(headers)) {
    expect(name).toMatch(/^[a-z0-9-]+$/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test rejects these characters
    expect(value).not.toMatch(/[\u0000-\u001f\u007f]/)
  }
  if (body === null) return ''
  expect(body.length).toBeLessThan(100_000)
  const type = headers['content-type'] ?? ''
  if (type.includes('json')) return textsOf(JSON.parse(body)).join('\n')
  if (type.startsWith('application/x-www-form-urlencoded')) return readForm(body)
  expect(type).toMatch(/^text\/plain/)
  return body
}

function readForm(body: string): string {
  expect(body).toMatch(/^[\w.*~!'()%+&=-]*$/)
  const values = [...new URLSearchParams(body)].map(([name, value]) => {
    if (name === 'Twiml' || (name === 'text' && body.includes('parse_mode=HTML'))) expectMarkup(value)
    return value
  })
  return unescapeMarkup(values.join('\n'))
}

async function readMail(mail: Mail): Promise<string> {
  const { messageId, ...rest } = mail
  const transport = createTransport({ streamTransport: true, buffer: true })
  const sent = await transport.sendMail({ from: 'v@vedette.test', messageId: `<${messageId}>`, ...rest })
  const read = await PostalMime.parse(sent.message as Buffer)
  expect(read.to?.map(({ address }) => address)).toEqual([mail.to])
  expect(read.bcc ?? []).toEqual([])
  expect(read.messageId).toBe(`<${messageId}>`)
  expect(messageId).toMatch(/^[\w.-]+@[\w.-]+$/)
  expect(read.subject).toBe(mail.subject)
  expect(mail.subject).not.toMatch(/[\r\n]/)
  expectMarkup(mail.html)
  return [mail.subject, mail.text, unescapeMarkup(mail.html)].join('\n')
}

const knownTags =
  /<\?xml [^<>]*\?>|<!doctype html>|<\/?(html|head|meta|title|body|div|h1|p|table|tr|th|td|a|b|Response|Say|Pause)(\s[\w-]+="[^"<>]*")*\/?>/g

/** Contains our own tags, and nothing else that starts a tag. */
function expectMarkup(markup: string): void {
  expect(markup.replace(knownTags, '')).not.toMatch(/[<>]|&(?!(amp|lt|gt|quot|#39);)/)
}

function unescapeMarkup(text: string): string {
  const signs: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => signs[name] as string)
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value, unescapeMarkup(value)]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

const plain = (text: string) => text.replace(/[\p{Cc}\s\\]/gu, '')
