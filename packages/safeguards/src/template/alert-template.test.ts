import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AlertEscaping, renderAlertTemplate } from './alert-template.ts'

const values = {
  ALERT_TITLE: 'Check "API" has failed',
  CHECK_NAME: 'Häuser & <Gärten>',
  CHECK_ERROR_MESSAGE: 'line one\nline\ttwo \\ "quoted"',
  RESPONSE_TIME: 1234.5,
  REMINDER_SEQUENCE: 0,
  IS_REMINDER: false,
  GROUP_NAME: null,
  TAGS: ['team:web', 'env=prod', 'slow', 'teamster:x', 'url:http://x/y=z'],
  STARTED_AT: '2026-03-04T05:06:07.089Z',
  DETAIL: { name: 'a detail', parts: [{ id: 1 }, { id: 2 }], none: null },
}

const clock = { now: new Date('2026-03-04T05:06:07.089Z'), random: () => 0.5, uuid: () => 'a-uuid' }

function text(template: string, escaping: AlertEscaping = 'none', given: Record<string, unknown> = values) {
  const rendered = renderAlertTemplate(template, given, escaping, clock)
  return rendered.ok ? rendered.text : `error: ${rendered.error}`
}

describe('an alert template', () => {
  it.each([
    ['{{ALERT_TITLE}}', 'Check "API" has failed'],
    ['{{RESPONSE_TIME}} {{REMINDER_SEQUENCE}} {{IS_REMINDER}} [{{GROUP_NAME}}]', '1234.5 0 false []'],
    [
      '{{TAGS}} {{TAGS.[0]}} {{TAGS.length}}',
      'team:web,env=prod,slow,teamster:x,url:http://x/y=z team:web 5',
    ],
    ['{{#each TAGS}}{{this}}{{#unless @last}} {{/unless}}{{/each}}', values.TAGS.join(' ')],
    ['{{tagValue TAGS "team" "nobody"}} {{tagValue TAGS "env"}}', 'web prod'],
    [
      '{{tagValue TAGS "owner" "nobody"}} [{{tagValue TAGS "owner"}}] {{tagValue TAGS "url"}}',
      'nobody [] http://x/y=z',
    ],
    ['{{#eq (tagValue TAGS "env") "prod"}}page{{else}}mail{{/eq}}', 'page'],
    ['{{#contains TAGS "slow"}}slow{{/contains}} {{has TAGS "sl"}}', 'slow false'],
    ['{{#if IS_REMINDER}}again{{else}}first{{/if}} {{#unless GROUP_NAME}}alone{{/unless}}', 'first alone'],
    [
      '{{#startsWith "Check" ALERT_TITLE}}yes{{/startsWith}} {{replace ALERT_TITLE "Check" "Monitor"}}',
      'yes Monitor "API" has failed',
    ],
    [
      '{{split STARTED_AT "T" 0}} {{moment STARTED_AT "DD.MM.YYYY HH:mm"}} {{year}} {{date "YYYY"}}',
      '2026-03-04 04.03.2026 05:06 2026 2026',
    ],
    [
      '{{#gt RESPONSE_TIME 1000}}slow{{/gt}} {{#unlessGt RESPONSE_TIME 2000}}not very{{/unlessGt}}',
      'slow not very',
    ],
    [
      '{{compare RESPONSE_TIME ">" 1000}} {{and IS_REMINDER TAGS}} {{or IS_REMINDER TAGS}} {{not TAGS}} {{neither GROUP_NAME IS_REMINDER}}',
      'true false true false true',
    ],
    [
      '{{default GROUP_NAME "no group"}} {{ifEven REMINDER_SEQUENCE}} {{ifOdd 3}} {{ifNth 2 4}}',
      'no group true true true',
    ],
    [
      '{{is RESPONSE_TIME "1234.5"}} {{isnt DETAIL DETAIL}} {{eq DETAIL DETAIL}} {{is DETAIL "x"}}',
      'true false true false',
    ],
    ['{{$UUID}} {{$RANDOM_NUMBER}}', 'a-uuid 5000'],
    ['{{DETAIL.name}} {{DETAIL.parts.1.id}} [{{DETAIL.none}}] [{{DETAIL.missing.more}}]', 'a detail 2 [] []'],
    [
      '{{#with DETAIL}}{{name}}: {{#each parts}}{{id}}{{../name}}{{/each}}{{/with}}',
      'a detail: 1a detail2a detail',
    ],
    [
      '{{#DETAIL}}{{name}}{{/DETAIL}}{{#each DETAIL as |member key|}} {{key}}{{@index}}{{/each}}',
      'a detail name0 parts1 none2',
    ],
    ['{{{DETAIL.parts}}} {{lookup DETAIL "name"}}', '{"id":1},{"id":2} a detail'],
  ])('%s', (template, rendered) => {
    expect(text(template)).toBe(rendered)
  })

  it.each([
    ['json', 'line one\\nline\\ttwo \\\\ \\"quoted\\"', 'Häuser & <Gärten>'],
    ['uri', 'line%20one%0Aline%09two%20%5C%20%22quoted%22', 'H%C3%A4user%20%26%20%3CG%C3%A4rten%3E'],
    ['html', 'line one\nline\ttwo \\ &quot;quoted&quot;', 'Häuser &amp; &lt;Gärten&gt;'],
    ['none', values.CHECK_ERROR_MESSAGE, values.CHECK_NAME],
  ] as const)('is escaped for %s, and raw with three braces', (escaping, message, name) => {
    expect(text('{{CHECK_ERROR_MESSAGE}}|{{CHECK_NAME}}', escaping)).toBe(`${message}|${name}`)
    expect(text('{{{CHECK_ERROR_MESSAGE}}}', escaping)).toBe(values.CHECK_ERROR_MESSAGE)
  })

  it('makes a JSON document of whatever texts there are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const rendered = text('{"text": "{{X}}"}', 'json', { X: value })
        expect(JSON.parse(rendered)).toEqual({ text: value })
      }),
    )
  })

  it('never throws, whatever the values are', () => {
    const uses =
      '{{X}}{{{X}}}{{X.a}}{{#each X}}{{@key}}{{this}}{{/each}}{{#X}}{{a}}{{/X}}{{is X 1}}{{gt X 1}}{{contains X 1}}{{ifEven X}}{{split X ","}}{{tagValue X "a" X}}{{default X 1}}{{lookup X X}}'
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom<AlertEscaping>('json', 'uri', 'html'),
        (value, escaping) => {
          expect(text(uses, escaping, { X: value })).not.toMatch(/^error/)
        },
      ),
    )
    expect(text(uses, 'json', { X: { toString: 'x', valueOf: 1, toJSON: 2 } })).not.toMatch(/^error/)
  })

  it.each([
    '{{constructor}}{{__proto__}}{{toString}}',
    '{{DETAIL.constructor}}{{DETAIL.__proto__}}{{DETAIL.toString}}{{DETAIL.hasOwnProperty}}',
    '{{DETAIL.constructor.constructor}}{{lookup DETAIL "constructor"}}{{lookup DETAIL "__proto__"}}',
    '{{#with DETAIL}}{{constructor}}{{this.constructor}}{{valueOf}}{{__defineGetter__}}{{/with}}',
    '{{TAGS.constructor}}{{TAGS.map}}{{TAGS.__proto__}}{{TAGS.[-1]}}',
    '{{#each DETAIL.parts}}{{constructor}}{{this.__proto__.constructor}}{{/each}}',
    '{{@root.constructor}}{{@root.DETAIL.constructor}}',
  ])('%s reaches no prototype', (template) => {
    expect(text(template)).toBe('')
  })

  it.each([
    ['{"a": "{{ALERT_TITLE"}', /^line 1, column 10: Parse error/],
    ['{\n  "a": "{{#if TAGS}}"\n}', /^line 3, column 2: Parse error/],
    ['x\n{{#if TAGS}}x{{/each}}', /^line 2, column 4: if doesn't match each/],
    ['x\n {{#if TAGS}}\n  {{shout TAGS}}{{/if}}', /^line 3, column 3: unknown helper "shout"/],
    ['{{> partial}}', /^line 1, column 1: partials/],
  ])('%s is refused, naming where', (template, error) => {
    expect(renderAlertTemplate(template, values, 'json')).toEqual({
      ok: false,
      error: expect.stringMatching(error),
    })
  })

  it.each([
    [
      'steps',
      '{{#each X}}{{#each ../X}}x{{/each}}{{/each}}',
      { X: new Array(1000).fill(0) },
      /more than 100000 steps/,
    ],
    [
      'output',
      '{{#each X}}{{../Y}}{{/each}}',
      { X: [1, 2, 3], Y: 'y'.repeat(400_000) },
      /longer than 1000000 characters/,
    ],
  ])('has limited %s', (_, template, given, error) => {
    expect(text(template, 'json', given)).toMatch(error)
  })

  it('nests only so deep in its values', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(text('{{X}}', 'json', { X: deep })).toBe('error: the template or its values nest too deeply')
  })
})
