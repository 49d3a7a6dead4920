/** What is wrong with a template, or with what it asks for; becomes data before it leaves this room. */
export class TemplateError extends Error {
  /** Where in the template, both counted from one. */
  position: Position | null

  constructor(message: string, position: Position | null = null) {
    super(message)
    this.position = position
  }
}

export interface Position {
  line: number
  column: number
}
