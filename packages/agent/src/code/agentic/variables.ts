// {{NAME}} in prompts and actions. Models use only names; the browser host gets the values.

const reference = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g

/** Texts and the names of variables alternately; the first and the last part are texts, which may be empty. */
export const templateParts = (template: string): string[] => template.split(reference)

export const isVariable = (_part: string, index: number) => index % 2 === 1

export class Variables {
  readonly values: Readonly<Record<string, string>>
  readonly #secrets: ReadonlySet<string>

  constructor(values: Readonly<Record<string, string>>, secrets: readonly string[]) {
    this.values = values
    this.#secrets = new Set(secrets)
  }

  isSecret(name: string): boolean {
    return this.#secrets.has(this.values[name] ?? '')
  }

  /** Variables that the template uses but don't exist. */
  missingIn(template: string): string[] {
    return [...new Set(templateParts(template).filter(isVariable))].filter(
      (name) => !Object.hasOwn(this.values, name),
    )
  }

  render(template: string): string {
    return template.replaceAll(reference, (_, name: string) => this.values[name] ?? '')
  }

  /** Replaces values of secrets by their names, so that no script and no log contains them. */
  nameSecrets(text: string): string {
    let named = text
    for (const [name, value] of Object.entries(this.values)) {
      if (value.length >= minSecretChars && this.isSecret(name))
        named = named.replaceAll(value, `{{${name}}}`)
    }
    return named
  }
}

/** The same as in the scrubber: shorter values occur in every text by chance. */
const minSecretChars = 3
