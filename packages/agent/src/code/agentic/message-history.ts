// The messages of a conversation, which are sent to the model with every turn. Only the latest page views are included.
import type { ModelMessage } from './model.ts'

interface Entry {
  message: ModelMessage
  isView: boolean
}

/** Older views are out of date, and cost tokens with every turn. */
const viewsKept = 3

export class MessageHistory {
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
    content: `${first} ${second}`.slice(0, 300).concat(' (the content of the page is omitted)'),
  }
}
