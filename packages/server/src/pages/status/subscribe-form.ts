import { type Html, html } from '../../core/html.ts'
import { renderServiceChoice } from '../subscriptions/service-choice.ts'
import type { StatusContent } from './content.ts'
import type { View } from './view.ts'

export function subscribeForm({ services }: StatusContent, { base, speech }: View): Html {
  const { texts } = speech
  const choice =
    services.length < 2
      ? null
      : html`<details><summary>${texts.subscription.chooseServices}</summary>
<p class="muted">${texts.subscription.allByDefault}</p>
${renderServiceChoice(services, () => false, speech)}</details>
`
  return html`<form id="subscribe" method="post" action="${base}/subscriptions?lang=${speech.language}">
<label for="address">${texts.subscribeByMail}</label>
<input id="address" type="email" name="address" required autocomplete="email" placeholder="name@example.com">
<button type="submit">${texts.subscribe}</button>
${choice}</form>`
}
