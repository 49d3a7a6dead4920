// A page as assistive technology has it: only roles and names, from the accessibility tree of the browser.
import type { BrowserContext, CDPSession } from 'playwright-core'
import { until } from '../../until.ts'

interface AxNode {
  ignored: boolean
  role?: { value?: unknown }
  name?: { value?: unknown }
  backendDOMNodeId?: number
  childIds?: string[]
  nodeId: string
}

export class AxPage {
  readonly #session: CDPSession

  private constructor(session: CDPSession) {
    this.#session = session
  }

  static async open(context: BrowserContext, url: string): Promise<AxPage> {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Accessibility.enable')
    await page.goto(url)
    return new AxPage(session)
  }

  /** Waits for it; resolves to the node of the document. */
  async find(role: string, name: string | RegExp): Promise<number> {
    return until(`the ${role} ${name}`, async () => {
      const { nodes } = await this.#session.send('Accessibility.getFullAXTree')
      const byId = new Map(nodes.map((node) => [node.nodeId, node]))
      const found = nodes.find((node) => {
        if (node.ignored || node.role?.value !== role) return false
        const text = textOf(node, byId)
        return typeof name === 'string' ? text === name : name.test(text)
      })
      return found?.backendDOMNodeId
    })
  }

  /** As screen readers do: the default action of what has the focus. */
  async press(role: string, name: string | RegExp): Promise<void> {
    const backendNodeId = await this.find(role, name)
    await this.#session.send('DOM.focus', { backendNodeId })
    const key =
      role === 'tab' ? { key: ' ', code: 'Space', text: ' ' } : { key: 'Enter', code: 'Enter', text: '\r' }
    const windowsVirtualKeyCode = role === 'tab' ? 32 : 13
    await this.#session.send('Input.dispatchKeyEvent', { type: 'keyDown', ...key, windowsVirtualKeyCode })
    await this.#session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key, windowsVirtualKeyCode })
  }

  async type(role: string, name: string | RegExp, text: string): Promise<void> {
    await this.#session.send('DOM.focus', { backendNodeId: await this.find(role, name) })
    await this.#session.send('Input.insertText', { text })
  }
}

/** The name, or for what has none, such as rows and regions with text, what is in it. */
function textOf(node: AxNode, byId: ReadonlyMap<string, AxNode>): string {
  const name = String(node.name?.value ?? '').trim()
  if (name !== '') return name
  const parts = (node.childIds ?? []).flatMap((id) => {
    const child = byId.get(id)
    return child === undefined ? [] : [textOf(child, byId)]
  })
  return parts.filter((part) => part !== '').join(' ')
}
