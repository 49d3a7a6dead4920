// {{NAME}} in prompts and actions. Models use only names; the browser host gets the values.

const reference = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g

export type TemplatePart = { text: string } | { variable: string }

export function templateParts(template: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let end = 0
  for (const match of template.matchAll(reference)) {
    if (match.index > end) parts.push({ text: template.slice(end, match.index) })
    parts.push({ variable: match[1] ?? '' })
    end = match.index + match[0].length
  }
  if (end < template.length || parts.length === 0) parts.push({ text: template.slice(end) })
  return parts
}

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
    const names = [...template.matchAll(reference)].map((match) => match[1] ?? '')
    return [...new Set(names)].filter((name) => !Object.hasOwn(this.values, name))
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
