// {{NAME}} in prompts and in what a model does. Models see and say names; values are put in on the way to the browser.

const reference = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g

export type TemplatePart = { text: string } | { variable: string }

export function templateParts(template: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let end = 0
  for (const match of template.matchAll(reference)) {
    if (match.index > end) parts.push({ text: template.slice(end, match.index) })
    parts.push({ variable: match[1] as string })
    end = match.index + match[0].length
  }
  if (end < template.length || parts.length === 0) parts.push({ text: template.slice(end) })
  return parts
}

function variablesIn(template: string): string[] {
  return [...new Set([...template.matchAll(reference)].map((match) => match[1] as string))]
}

export class Variables {
  readonly values: Readonly<Record<string, string>>
  readonly #secrets: ReadonlySet<string>

  constructor(values: Readonly<Record<string, string>>, secrets: readonly string[]) {
    this.values = values
    this.#secrets = new Set(secrets)
  }

  has(name: string): boolean {
    return Object.hasOwn(this.values, name)
  }

  isSecret(name: string): boolean {
    return this.#secrets.has(this.values[name] ?? '')
  }

  /** Named in the text, and not there. */
  missingIn(template: string): string[] {
    return variablesIn(template).filter((name) => !this.has(name))
  }

  render(template: string): string {
    return template.replaceAll(reference, (_, name: string) => this.values[name] ?? '')
  }

  /** The value of a secret that somebody wrote out becomes its name: no script and no record is to hold it. */
  nameSecrets(text: string): string {
    let named = text
    for (const [name, value] of Object.entries(this.values)) {
      if (value.length >= minSecretChars && this.isSecret(name))
        named = named.replaceAll(value, `{{${name}}}`)
    }
    return named
  }
}

/** As the scrubber has it: shorter ones are in every text by chance. */
const minSecretChars = 3
