// The checkboxes with which subscribers choose services, on the status page and on the page of their subscription.
import { type Html, html } from '../../core/html.ts'
import { fieldsOf } from '../form.ts'
import type { Speech } from '../texts/speech.ts'

export interface Choosable {
  id: string
  name: string
}

export function renderServiceChoice(
  services: readonly Choosable[],
  isChosen: (service: Choosable) => boolean,
  { texts }: Speech,
): Html {
  const boxes = services.map(
    (service) =>
      html`<label><input type="checkbox" name="service[]" value="${service.id}"${isChosen(service) ? html` checked` : null}> ${service.name}</label>\n`,
  )
  return html`<fieldset><legend>${texts.subscription.services}</legend>
${boxes}</fieldset>`
}

/** Those of the page that are checked. Null: other services were sent, such as one that the page no longer shows. */
export function readServiceChoice<S extends Choosable>(body: unknown, shown: readonly S[]): S[] | null {
  const sent = new Set(fieldsOf(body, 'service[]'))
  const chosen = shown.filter(({ id }) => sent.has(id))
  return chosen.length === sent.size ? chosen : null
}
