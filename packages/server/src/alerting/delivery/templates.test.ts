import { afterEach, describe, expect, it } from 'vitest'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import { openTemplates, type Templates } from './templates.ts'

const opened: Templates[] = []

function open(options?: { limitMs: number }): Templates {
  const templates = openTemplates(options)
  opened.push(templates)
  return templates
}

async function failureOf(rendered: Promise<unknown>): Promise<DeliveryError> {
  const error = await rendered.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(error instanceof DeliveryError)) throw new Error(`not a DeliveryError: ${String(error)}`)
  return error
}

/** Within the limits of steps and output, but takes seconds: searches long texts repeatedly. */
const slow = {
  template: '{{#each L}}{{#contains ../X ../Y}}{{/contains}}{{/each}}',
  values: { L: new Array(20_000).fill(0), X: 'a'.repeat(500_000), Y: `${'a'.repeat(1000)}b` },
}

afterEach(() => {
  for (const templates of opened.splice(0)) templates.close()
})

describe('templates', () => {
  it('are rendered in a worker thread', async () => {
    const templates = open()
    const values = { TITLE: 'a "title"', TAGS: ['a:b', 'c'], IS_REMINDER: false }
    const template = '{"title": "{{TITLE}}", "a": "{{tagValue TAGS "a"}}", "again": {{IS_REMINDER}} }'
    expect(JSON.parse(await templates.render(template, values, 'json'))).toEqual({
      title: 'a "title"',
      a: 'b',
      again: false,
    })
    expect(await templates.render('{{TITLE}}', values, 'html')).toBe('a &quot;title&quot;')
    expect(await templates.render('no tags', values, 'html')).toBe('no tags')
  })

  it('are rendered concurrently, each with its own values', async () => {
    const templates = open()
    const rendered = await Promise.all(
      new Array(5000).fill(0).map((_, index) => templates.render('n={{N}}', { N: index }, 'json')),
    )
    expect(rendered).toEqual(new Array(5000).fill(0).map((_, index) => `n=${index}`))
  })

  it('that are invalid are refused for good, with the position', async () => {
    expect(await failureOf(open().render('{\n "a": {{#if X}}\n}', {}, 'json'))).toMatchObject({
      permanent: true,
      message: expect.stringMatching(/^The template cannot be rendered: line 3, column 2: Parse error/),
    })
  })

  it('that take too long are aborted, and others continue', async () => {
    const templates = open({ limitMs: 500 })
    expect(await failureOf(templates.render(slow.template, slow.values, 'json'))).toMatchObject({
      permanent: true,
      message: 'The template takes longer than 0.5 s to render. Simplify it.',
    })
    expect(await templates.render('{{X}}', { X: 1 }, 'json')).toBe('1')
  })

  it('do not wait for a slow one', async () => {
    const templates = open({ limitMs: 1000 })
    const order: string[] = []
    const failure = failureOf(templates.render(slow.template, slow.values, 'json')).then(() =>
      order.push('slow'),
    )
    const rest = new Array(50).fill(0).map(() => templates.render('{{X}}', { X: 1 }, 'json'))
    await Promise.all(rest).then(() => order.push('rest'))
    await failure
    expect(order).toEqual(['rest', 'slow'])
  })

  it('that are rendered while this thread is busy do not count as slow', async () => {
    const templates = open({ limitMs: 500 })
    await templates.render('{{X}}', { X: 1 }, 'json')
    const rendered = templates.render('{{X}}', { X: 2 }, 'json')
    await Promise.resolve()
    const until = performance.now() + 800
    while (performance.now() < until);
    expect(await rendered).toBe('2')
  })

  it('that take too much memory are refused for good, and others continue', async () => {
    const templates = open({ limitMs: 30_000 })
    const template = `{{and ${'(replace X "a" "b") '.repeat(1000)}}}`
    expect(
      await failureOf(templates.render(template, { X: `${'x'.repeat(990_000)}a` }, 'json')),
    ).toMatchObject({
      permanent: true,
      message: 'The template takes too much memory to render. Simplify it.',
    })
    expect(await templates.render('{{X}}', { X: 1 }, 'json')).toBe('1')
  })
})
