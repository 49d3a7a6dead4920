// Reads a text/event-stream piece by piece, as the HTML standard defines it.

export interface ServerEvent {
  event: string
  data: string
  id: string | null
}

export class EventParser {
  #rest = ''
  #event = ''
  #data: string[] = []
  #id: string | null = null

  /** The events that are complete with this piece. */
  push(piece: string): ServerEvent[] {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ''
    return lines.flatMap((line) => this.#readLine(line))
  }

  #readLine(line: string): ServerEvent[] {
    if (line === '') return this.#dispatch()
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (name === 'event') this.#event = value
    if (name === 'data') this.#data.push(value)
    if (name === 'id') this.#id = value
    return []
  }

  #dispatch(): ServerEvent[] {
    const event = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id }
    const isEmpty = this.#data.length === 0
    this.#event = ''
    this.#data = []
    return isEmpty ? [] : [event]
  }
}
