/** An error of a template or its values. It's converted to data before it leaves this directory. */
export class TemplateError extends Error {
  /** Where in the template, both counted from one. */
  position: { line: number; column: number } | null

  constructor(message: string, position: TemplateError['position'] = null) {
    super(message)
    this.position = position
  }
}
