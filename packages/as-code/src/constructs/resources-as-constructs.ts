// Some resources as one file of constructs, for people who look at them in the app. `vedette export` writes the same.
import { type AccountResources, noResources } from '../account-resources.ts'
import { nameResources } from '../resource-names.ts'
import { SecretNames } from '../secret-names.ts'
import { type ConstructNote, ConstructProject } from './construct-project.ts'

export function resourcesAsConstructs(some: Partial<AccountResources>): string {
  const resources = { ...noResources, ...some }
  const project = new ConstructProject(resources, nameResources(resources), new SecretNames(), 'excerpt')
  const files = project.files().map(({ text }) => text)
  return [...files, commentOf(project.notes)].filter((text) => text !== '').join('\n')
}

/** With the services of its cards. Components of version 3 have services of their own. */
export function pageAsConstructs(page: AccountResources['statusPages'][number]): string {
  const services = page.version === 3 ? [] : page.cards.flatMap((card) => card.services)
  const unique = new Map(services.map((service) => [service.id, service]))
  return resourcesAsConstructs({ statusPages: [page], services: [...unique.values()] })
}

function commentOf(notes: readonly ConstructNote[]): string {
  const lines = notes.map(({ resource, field, value }) =>
    // A name with a line break must not end the comment.
    `// ${resource}: ${field} is ${JSON.stringify(value)}`.replace(/\s+/g, ' '),
  )
  const title = '// Settings without a construct. Set them in the app or with the API.'
  return lines.length === 0 ? '' : [title, ...lines, ''].join('\n')
}
