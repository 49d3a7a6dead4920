// Badges as text for other sites.

interface Badge {
  name: string
  url: string
  opens: string
}

export function badgeAsMarkdown({ name, url, opens }: Badge): string {
  return `[![${name.replace(/[[\]\\]/g, '\\$&')}](${url})](${opens})`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export function badgeAsHtml({ name, url, opens }: Badge): string {
  const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
  return `<a href="${escaped(opens)}"><img src="${escaped(url)}" alt="${escaped(name)}"></a>`
}
