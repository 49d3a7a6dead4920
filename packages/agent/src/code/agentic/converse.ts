// A model at work: it is asked, what it calls is done in the browser, and it hears what came of it, until it is done, gives
// up or has had its turns. In: a task and a browser; out: what was performed, proved and suggested.
import type { Scrubber } from '../../scrub/scrub.ts'
import type { Action, Assertion } from './action.ts'
import type { BrowserHost } from './browser-host.ts'
import { instructions } from './instructions.ts'
import type { ModelAnswer, ModelMessage, ModelTool, ToolCall } from './model.ts'
import { SaidMessages } from './said-messages.ts'
import { type ScriptStep, ScriptSteps, verifyPrefix } from './script.ts'
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

export interface Performance {
  /** By the model's word; null: it never came to an end. */
  outcome: 'passed' | 'failed' | null
  /** Why it did not come to an end. */
  trouble: string | null
  summary: string
  assertions: ProvedAssertion[]
  suggestions: Suggestion[]
  steps: ScriptStep[]
  /** What they show, by path below the host's folder. */
  screenshots: Map<string, string>
}

export interface Conversation {
  task: string
  /** The prompt with its variables' values: where secrets may be sent. */
  prompt: string
  ask(messages: readonly ModelMessage[], tools: readonly ModelTool[]): Promise<ModelAnswer>
  browser: BrowserHost
  variables: Variables
  scrubber: Scrubber
  transcript: Transcript
  /** What stands before the steps of this performance. */
  kept?: readonly ScriptStep[]
  maxTurns: number
}

const maxSuggestions = 10
const maxViewChars = 12_000
const maxAnswerChars = 3_000
const maxActualChars = 1_000
const withView = new Set<Action['tool']>(['navigate', 'click', 'press'])

export async function converse(conversation: Conversation): Promise<Performance> {
  const work = new Work(conversation)
  for (let turn = 0; turn < conversation.maxTurns; turn++) {
    const answer = await conversation.ask(work.messages(), modelTools)
    conversation.transcript.message('assistant', answer.content)
    await work.take(answer)
    if (work.isOver) return work.performance()
  }
  return work.performance(`The prompt wasn't completed within ${conversation.maxTurns} turns of the model.`)
}

interface Heard {
  ok: boolean
  output: string
  isView: boolean
}

class Work {
  readonly #conversation: Conversation
  readonly #said = new SaidMessages()
  readonly #assertions = new Map<string, ProvedAssertion>()
  readonly #suggestions: Suggestion[] = []
  readonly #steps: ScriptSteps
  readonly #screenshots = new Map<string, string>()
  #done: { outcome: 'passed' | 'failed'; summary: string } | null = null
  #trouble: string | null = null
  #nudges = 0

  constructor(conversation: Conversation) {
    this.#conversation = conversation
    this.#steps = new ScriptSteps(conversation.kept)
    this.#said.add({ role: 'system', content: instructions })
    this.#said.add({ role: 'user', content: conversation.task })
  }

  get isOver(): boolean {
    return this.#done !== null || this.#trouble !== null
  }

  messages(): ModelMessage[] {
    return this.#said.messages()
  }

  async take({ content, toolCalls }: ModelAnswer): Promise<void> {
    if (toolCalls.length === 0) return this.#nudge(content)
    this.#said.add({ role: 'assistant', content: content === '' ? null : content, tool_calls: toolCalls })
    let isStopped = false
    for (const call of toolCalls) {
      const heard: Heard = isStopped
        ? { ok: false, output: 'not performed: an earlier call failed, or ended the work', isView: false }
        : await this.#perform(call)
      isStopped ||= !heard.ok || this.#done !== null
      this.#said.add({ role: 'tool', tool_call_id: call.id, content: heard.output }, heard.isView)
    }
  }

  #nudge(content: string): void {
    this.#nudges += 1
    if (this.#nudges > 1) {
      this.#trouble = 'the model called no tool, although it was asked to'
      return
    }
    this.#said.add({ role: 'assistant', content })
    this.#said.add({ role: 'user', content: 'Go on with the tools. When all is done, call done.' })
  }

  async #perform(call: ToolCall): Promise<Heard> {
    const { transcript, variables, scrubber } = this.#conversation
    const { name } = call.function
    const parsed = parseToolCall(call, variables)
    transcript.call(
      name,
      parsed.kind === 'action' ? inputOf(parsed.action) : rawInput(call.function.arguments),
    )
    const heard = await this.#do(parsed)
    // Before anything is cut, and before the model or anyone else sees it.
    const output = shortened(scrubber.text(heard.output), heard.isView ? maxViewChars : maxAnswerChars)
    transcript.result(name, output)
    return { ...heard, output }
  }

  async #do(parsed: ParsedCall): Promise<Heard> {
    const { browser } = this.#conversation
    switch (parsed.kind) {
      case 'wrong':
        return said(false, `error: ${parsed.message}`)
      case 'suggest':
        if (this.#suggestions.length < maxSuggestions) this.#suggestions.push(parsed.suggestion)
        return said(true, 'ok')
      case 'read': {
        const view = await browser.view()
        return { ...view, isView: view.ok }
      }
      case 'done':
        return this.#finish(parsed)
      case 'action':
        return parsed.action.tool === 'assert' ? this.#prove(parsed.action) : this.#act(parsed.action)
    }
  }

  async #act(action: Exclude<Action, Assertion>): Promise<Heard> {
    const { browser } = this.#conversation
    const refusal = action.tool === 'navigate' ? this.#refusalOf(action.url) : null
    if (refusal !== null) return said(false, `error: ${refusal}`)
    const statement = statementOf(action)
    const done = await browser.run(statement)
    if (!done.ok) return said(false, `error: ${done.output}`)
    this.#steps.add(action.intent, statement)
    if (action.tool === 'screenshot') {
      this.#screenshots.set(screenshotPath(action.description), action.description)
    }
    if (!withView.has(action.tool)) return said(true, 'ok')
    const view = await browser.view()
    return { ok: true, output: `ok\n${view.output}`, isView: view.ok }
  }

  /** A page could talk a model into carrying a secret away in an address. */
  #refusalOf(url: string): string | null {
    const { variables, prompt } = this.#conversation
    const secrets = Object.keys(variables.values).filter(
      (name) => variables.isSecret(name) && url.includes(`{{${name}}}`),
    )
    const { host } = new URL(variables.render(url))
    if (secrets.length === 0 || namesHost(prompt, host)) return null
    return `${secrets.join(', ')} may be sent only to sites that the prompt names`
  }

  async #prove(assertion: Assertion): Promise<Heard> {
    const { browser, variables, scrubber } = this.#conversation
    const statement = statementOf(assertion)
    const done = await browser.run(statement)
    const actual = await browser.evaluate(actualOf(assertion))
    const expected = assertion.expected ?? assertion.kind
    this.#assertions.set(assertion.condition, {
      condition: assertion.condition,
      passed: done.ok,
      actual: actual.ok ? shortened(scrubber.text(actual.output), maxActualChars) : 'not there',
      expected: variables.nameSecrets(expected),
    })
    if (!done.ok) return said(false, `failed: ${done.output}`)
    this.#steps.add(`${verifyPrefix}${assertion.condition}`, statement)
    return said(true, 'passed')
  }

  #finish({ outcome, summary }: { outcome: 'passed' | 'failed'; summary: string }): Heard {
    const hasProof = [...this.#assertions.values()].some(({ passed }) => passed)
    if (outcome === 'passed' && !hasProof) {
      this.#nudges += 1
      if (this.#nudges > 1) this.#trouble = 'the model asserted nothing, although it was asked to'
      return said(false, 'error: assert every condition of the prompt before you call done')
    }
    this.#done = { outcome, summary }
    return said(true, 'ok')
  }

  performance(trouble: string | null = this.#trouble): Performance {
    return {
      outcome: this.#done?.outcome ?? null,
      trouble: this.#done ? null : trouble,
      summary: this.#done?.summary ?? '',
      assertions: [...this.#assertions.values()],
      suggestions: this.#suggestions,
      steps: this.#steps.steps,
      screenshots: this.#screenshots,
    }
  }
}

/** As a whole: who has shop.test is not who has myshop.test. */
function namesHost(prompt: string, host: string): boolean {
  return prompt
    .toLowerCase()
    .split(/[^a-z0-9.:_[\]-]+/)
    .some((word) => word.replace(/[.:]+$/, '') === host)
}

function shortened(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars)}\n… (the rest is left out)` : text
}

function said(ok: boolean, output: string): Heard {
  return { ok, output, isView: false }
}

function inputOf({ tool: _tool, ...input }: Action): Record<string, unknown> {
  return input
}

function rawInput(text: string): Record<string, unknown> {
  try {
    const input: unknown = JSON.parse(text)
    if (typeof input === 'object' && input !== null && !Array.isArray(input))
      return input as Record<string, unknown>
  } catch {
    // Shown as it came.
  }
  return { arguments: text.slice(0, 2_000) }
}
