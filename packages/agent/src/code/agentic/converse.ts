// The conversation with a model: performs its tool calls in the browser and returns the results to it, until it is done, gives up
// or has used its turns. Returns what was performed, asserted and suggested.

import { z } from 'zod'
import { parseJson } from '../../core/parse-json.ts'
import type { Scrubber } from '../../scrub/scrub.ts'
import type { Action, Assertion } from './action.ts'
import type { BrowserHost } from './browser-host.ts'
import { instructions } from './instructions.ts'
import type { ModelMessage, ModelReply, ModelTool, ToolCall } from './model.ts'
import { addStatement, type ScriptStep, verifyPrefix } from './script.ts'
import { actualOf, screenshotPath, statementOf } from './statement.ts'
import { modelTools, type ParsedCall, parseToolCall, type Suggestion } from './tools.ts'
import type { Transcript } from './transcript.ts'
import type { Variables } from './variables.ts'

export interface ProvedAssertion {
  condition: string
  passed: boolean
  actual: string
  expected: string
}

export type Performance = ReturnType<Work['performance']>

export interface Conversation {
  task: string
  /** The prompt with the values of its variables: its hosts are those that secrets may be sent to. */
  prompt: string
  ask(messages: readonly ModelMessage[], tools: readonly ModelTool[]): Promise<ModelReply>
  browser: BrowserHost
  variables: Variables
  scrubber: Scrubber
  transcript: Transcript
  /** Steps before those of this performance. */
  kept: ScriptStep[]
  maxTurns: number
}

const maxSuggestions = 10
const maxViewChars = 12_000
const maxOutputChars = 3_000
const maxActualChars = 1_000
/** Older views are out of date, and cost tokens with every turn. */
const viewsKept = 3
const withView = new Set<Action['tool']>(['navigate', 'click', 'press'])

export async function converse(conversation: Conversation): Promise<Performance> {
  const work = new Work(conversation)
  for (let turn = 0; turn < conversation.maxTurns; turn++) {
    const reply = await conversation.ask(work.messages(), modelTools)
    conversation.transcript.add({ type: 'message', name: 'assistant', output: reply.content })
    await work.handleReply(reply)
    if (work.isOver) return work.performance()
  }
  return work.performance(`The prompt wasn't completed within ${conversation.maxTurns} turns of the model.`)
}

interface CallResult {
  ok: boolean
  output: string
  /** The output is the content of a page. */
  isView?: boolean
}

class Work {
  readonly #conversation: Conversation
  readonly #history: { message: ModelMessage; isView: boolean }[] = []
  readonly #assertions = new Map<string, ProvedAssertion>()
  readonly #suggestions: Suggestion[] = []
  readonly #steps: ScriptStep[]
  /** Descriptions, by path relative to the host's directory. */
  readonly #screenshots = new Map<string, string>()
  #done: { outcome: 'passed' | 'failed'; summary: string } | null = null
  #trouble: string | null = null
  #nudges = 0

  constructor(conversation: Conversation) {
    this.#conversation = conversation
    this.#steps = structuredClone(conversation.kept)
    this.#add({ role: 'system', content: instructions })
    this.#add({ role: 'user', content: conversation.task })
  }

  get isOver(): boolean {
    return this.#done !== null || this.#trouble !== null
  }

  messages(): ModelMessage[] {
    const views = this.#history.filter(({ isView }) => isView)
    const old = new Set(views.slice(0, -viewsKept))
    return this.#history.map((entry) => (old.has(entry) ? withoutView(entry.message) : entry.message))
  }

  #add(message: ModelMessage, isView = false): void {
    this.#history.push({ message, isView })
  }

  async handleReply({ content, toolCalls }: ModelReply): Promise<void> {
    if (toolCalls.length === 0) return this.#nudge(content)
    this.#add({ role: 'assistant', content: content === '' ? null : content, tool_calls: toolCalls })
    let isStopped = false
    for (const call of toolCalls) {
      const result: CallResult = isStopped
        ? { ok: false, output: 'not performed: an earlier call failed, or ended the work' }
        : await this.#perform(call)
      isStopped ||= !result.ok || this.#done !== null
      this.#add({ role: 'tool', tool_call_id: call.id, content: result.output }, result.isView)
    }
  }

  #nudge(content: string): void {
    this.#nudges += 1
    if (this.#nudges > 1) this.#trouble = 'the model called no tool, although the instructions require it'
    this.#add({ role: 'assistant', content })
    this.#add({ role: 'user', content: 'Continue with the tools. When everything is done, call done.' })
  }

  async #perform(call: ToolCall): Promise<CallResult> {
    const { transcript, variables, scrubber } = this.#conversation
    const { name } = call.function
    const parsed = parseToolCall(call, variables)
    const { tool, ...input } = parsed
    const shown = tool === 'wrong' ? rawInput(call.function.arguments) : input
    transcript.add({ type: 'tool_call', name, input: shown })
    const result = await this.#execute(parsed)
    // Scrubbed before it is truncated, and before the model sees it.
    const output = truncate(scrubber.text(result.output), result.isView ? maxViewChars : maxOutputChars)
    transcript.add({ type: 'tool_result', name, output })
    return { ...result, output }
  }

  async #execute(call: ParsedCall): Promise<CallResult> {
    switch (call.tool) {
      case 'wrong':
        return { ok: false, output: `error: ${call.message}` }
      case 'suggest': {
        const { tool: _tool, ...suggestion } = call
        if (this.#suggestions.length < maxSuggestions) this.#suggestions.push(suggestion)
        return { ok: true, output: 'ok' }
      }
      case 'read':
        return this.#view()
      case 'done':
        return this.#finish(call)
      case 'assert':
        return this.#prove(call)
      default:
        return this.#act(call)
    }
  }

  async #act(action: Exclude<Action, Assertion>): Promise<CallResult> {
    const { browser } = this.#conversation
    const refusal = action.tool === 'navigate' ? this.#refusalOf(action.url) : null
    if (refusal !== null) return { ok: false, output: `error: ${refusal}` }
    const statement = statementOf(action)
    const done = await browser.run(statement)
    if (!done.ok) return { ok: false, output: `error: ${done.output}` }
    addStatement(this.#steps, action.intent, statement)
    if (action.tool === 'screenshot') {
      this.#screenshots.set(screenshotPath(action.description), action.description)
    }
    if (!withView.has(action.tool)) return { ok: true, output: 'ok' }
    const view = await this.#view()
    return { ...view, ok: true, output: `ok\n${view.output}` }
  }

  async #view(): Promise<CallResult> {
    const view = await this.#conversation.browser.view()
    return { ...view, isView: view.ok }
  }

  /** Prevents that a page tricks the model into sending a secret in a URL. */
  #refusalOf(url: string): string | null {
    const { variables, prompt } = this.#conversation
    const secrets = Object.keys(variables.values).filter(
      (name) => variables.isSecret(name) && url.includes(`{{${name}}}`),
    )
    const { host } = new URL(variables.render(url))
    if (secrets.length === 0 || namesHost(prompt, host)) return null
    return `${secrets.join(', ')} may be sent only to sites that the prompt names`
  }

  async #prove(assertion: Assertion): Promise<CallResult> {
    const { browser, variables, scrubber } = this.#conversation
    const statement = statementOf(assertion)
    const done = await browser.run(statement)
    const actual = await browser.evaluate(actualOf(assertion))
    const expected = assertion.expected ?? assertion.kind
    this.#assertions.set(assertion.condition, {
      condition: assertion.condition,
      passed: done.ok,
      actual: actual.ok ? truncate(scrubber.text(actual.output), maxActualChars) : 'not there',
      expected: variables.nameSecrets(expected),
    })
    if (!done.ok) return { ok: false, output: `failed: ${done.output}` }
    addStatement(this.#steps, `${verifyPrefix}${assertion.condition}`, statement)
    return { ok: true, output: 'passed' }
  }

  #finish({ outcome, summary }: { outcome: 'passed' | 'failed'; summary: string }): CallResult {
    const hasProof = [...this.#assertions.values()].some(({ passed }) => passed)
    if (outcome === 'passed' && !hasProof) {
      this.#nudges += 1
      if (this.#nudges > 1) this.#trouble = 'the model asserted nothing, although the instructions require it'
      return { ok: false, output: 'error: assert every condition of the prompt before you call done' }
    }
    this.#done = { outcome, summary }
    return { ok: true, output: 'ok' }
  }

  performance(trouble = this.#trouble) {
    return {
      /** As the model reports it; null: it never finished. */
      outcome: this.#done?.outcome ?? null,
      /** Why it never finished. */
      trouble: this.#done ? null : trouble,
      summary: this.#done?.summary ?? '',
      assertions: [...this.#assertions.values()],
      suggestions: this.#suggestions,
      steps: this.#steps,
      screenshots: this.#screenshots,
    }
  }
}

/** Compares whole names: shop.test doesn't match myshop.test. */
function namesHost(prompt: string, host: string): boolean {
  return prompt
    .toLowerCase()
    .split(/[^a-z0-9.:_[\]-]+/)
    .some((word) => word.replace(/[.:]+$/, '') === host)
}

function truncate(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars)}\n… (truncated)` : text
}

const Arguments = z.record(z.string(), z.unknown())

function rawInput(text: string): Record<string, unknown> {
  return Arguments.safeParse(parseJson(text)).data ?? { arguments: text.slice(0, 2_000) }
}

function withoutView(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool') return message
  const [first = '', second = ''] = message.content.split('\n', 2)
  return { ...message, content: `${`${first} ${second}`.slice(0, 300)} (the content of the page is omitted)` }
}
