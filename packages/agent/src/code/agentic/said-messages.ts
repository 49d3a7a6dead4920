// What was said so far, as the model hears it again with every turn: of the views of pages only the latest.
import type { ModelMessage } from './model.ts'

interface Entry {
  message: ModelMessage
  isView: boolean
}

/** Older ones are out of date, and would be paid for with every turn. */
const viewsKept = 3

export class SaidMessages {
  readonly #entries: Entry[] = []

  add(message: ModelMessage, isView = false): void {
    this.#entries.push({ message, isView })
  }

  messages(): ModelMessage[] {
    const views = this.#entries.filter(({ isView }) => isView)
    const old = new Set(views.slice(0, -viewsKept))
    return this.#entries.map((entry) => (old.has(entry) ? withoutView(entry.message) : entry.message))
  }
}

function withoutView(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool') return message
  const [first = '', second = ''] = message.content.split('\n', 2)
  return {
    ...message,
    content: `${first} ${second}`.slice(0, 300).concat(' (what the page showed is left out)'),
  }
}
