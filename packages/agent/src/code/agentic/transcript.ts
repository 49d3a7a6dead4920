// The messages and tool calls of a model, for results. Limited in size.
import type { CodeContext, LogLine } from '../code-runner.ts'

export interface TranscriptStep {
  type: 'tool_call' | 'tool_result' | 'message'
  name: string
  input: Record<string, unknown>
  output: string
  timestamp: string
  sequenceNumber: number
}

type Added = Pick<TranscriptStep, 'type' | 'name'> & Partial<Pick<TranscriptStep, 'input' | 'output'>>

const maxSteps = 400
const maxOutputChars = 1_500
const maxLogChars = 500

export class Transcript {
  readonly steps: TranscriptStep[] = []
  readonly #context: Pick<CodeContext, 'clock' | 'onLine'>

  constructor(context: Pick<CodeContext, 'clock' | 'onLine'>) {
    this.#context = context
  }

  /** The same for the log of the run. */
  log(): LogLine[] {
    return this.steps.map(lineOf)
  }

  add({ type, name, input = {}, output = '' }: Added): void {
    if (this.steps.length >= maxSteps || (type === 'message' && output.trim() === '')) return
    const step = {
      type,
      name: name.slice(0, 200),
      input,
      output: output.slice(0, maxOutputChars),
      timestamp: new Date(this.#context.clock.now()).toISOString(),
      sequenceNumber: this.steps.length + 1,
    }
    this.steps.push(step)
    this.#context.onLine?.(lineOf(step))
  }
}

function lineOf({ type, name, input, output, timestamp }: TranscriptStep): LogLine {
  const content = type === 'tool_call' ? JSON.stringify(input) : output
  const mark = { tool_call: '→', tool_result: '←', message: '·' }[type]
  const isWrong = type === 'tool_result' && /^(?:error|failed):/.test(output)
  return {
    time: Date.parse(timestamp),
    msg: `${mark} ${name} ${content}`.slice(0, maxLogChars),
    level: isWrong ? 'WARN' : 'INFO',
  }
}
