/** An error of a template or its values. It's converted to data before it leaves this directory. */
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
