// What other sites embed: a bar that is shown while something is wrong, as a script or as a picture, and the data behind it.
import { html } from '../../core/html.ts'
import { colorValue } from '../../look/tokens.ts'
import type { RenderedDocument } from '../document.ts'
import { chooseSpeech, languages } from '../texts/speech.ts'
import { pictureOf } from './badges.ts'
import type { StatusContent } from './content.ts'
import { headlineText } from './render.ts'
import type { View } from './view.ts'

/** The open incidents of a page as JSON. Scripts of any site may read it, unless the page is private. */
export function renderSummary(content: StatusContent, { url, speech }: View): RenderedDocument {
  const { page, state, services, at } = content
  const open = content.incidents.filter(({ end }) => end === null)
  const text = JSON.stringify({
    page: { name: page.name, url },
    state,
    headline: headlineText(content, speech),
    updatedAt: new Date(at).toISOString(),
    services: services.map(({ id, name, state }) => ({ id, name, state })),
    incidents: open.map(({ id, name, severity, state, start, updates }) => ({
      id,
      name,
      url: `${url}/incidents/${id}`,
      severity,
      state,
      status: updates[0]?.status,
      startedAt: new Date(start).toISOString(),
    })),
  })
  return {
    text,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      ...(content.lock === null && { 'access-control-allow-origin': '*' }),
    },
  }
}

const shownStates = ['degraded', 'partial', 'failing', 'maintenance'] as const
const colors = Object.fromEntries(shownStates.map((state) => [state, colorValue(state, 'light')]))
const words = Object.fromEntries(
  languages.map((language) => {
    const { texts } = chooseSpeech(language, undefined)
    return [language, [texts.bannerDetails, texts.bannerDismiss]]
  }),
)

/** Runs on sites of others: it sets texts and styles only, so that a strict policy of the site allows it. No cookies. */
const script = `(()=>{
let d=document,s=d.currentScript,l=d.documentElement.lang.slice(0,2).toLowerCase(),w=${JSON.stringify(words)},c=${JSON.stringify(colors)},t=w[l]||w.en
if(s)fetch(new URL('summary.json?lang='+(w[l]?l:'en'),s.src),{credentials:'omit'}).then(r=>r.ok&&r.json()).then(j=>{
if(!j||!c[j.state])return
let k='vedette '+j.page.url,m={getItem(){},setItem(){}},e=n=>d.createElement(n),b=e('div'),p=e('span'),a=e('a'),x=e('button')
try{m=sessionStorage}catch{}
if(m.getItem(k)==j.headline)return
b.setAttribute('role','status')
b.lang=w[l]?l:'en'
b.style.cssText='display:flex;flex-wrap:wrap;align-items:center;justify-content:center;gap:4px 16px;padding:8px 16px;font:14px/20px system-ui,sans-serif;color:#fff;background:'+c[j.state]
p.textContent=j.page.name+': '+j.headline
a.textContent=t[0]
a.href=j.page.url
a.style.cssText='color:inherit;text-decoration:underline'
x.textContent='\\u00d7'
x.type='button'
x.setAttribute('aria-label',t[1])
x.style.cssText='min-width:28px;min-height:28px;border:0;background:none;color:inherit;font:20px/20px system-ui,sans-serif;cursor:pointer'
x.onclick=()=>{b.remove();m.setItem(k,j.headline)}
b.append(p,a,x)
d.body.prepend(b)
}).catch(()=>{})
})()
`

export function renderBannerScript(): RenderedDocument {
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'x-content-type-options': 'nosniff',
  }
  return { text: script, headers }
}

const maxChars = 80

/** A thin transparent line while all is well. */
export function renderBannerPicture(content: StatusContent, { speech }: View): RenderedDocument {
  const color = colors[content.state]
  const words = Array.from(`${content.page.name}: ${headlineText(content, speech)}`)
  const text = words.length <= maxChars ? words.join('') : `${words.slice(0, maxChars - 1).join('')}…`
  const picture =
    color === undefined
      ? html`<svg xmlns="http://www.w3.org/2000/svg" width="640" height="1" role="img"><title>${text}</title></svg>`
      : html`<svg xmlns="http://www.w3.org/2000/svg" width="640" height="40" viewBox="0 0 640 40" role="img"><title>${text}</title>
<rect width="640" height="40" rx="6" fill="${color}"/>
<text x="320" y="25" text-anchor="middle" font-family="system-ui, sans-serif" font-size="14" fill="#fff">${text}</text></svg>`
  return pictureOf(picture.text)
}
