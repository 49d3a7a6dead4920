// What the shop knows, and how it can be broken.
import type { IncomingMessage } from 'node:http'

export interface ShopSwitches {
  /** Whoever checks out gets a 500. */
  isCheckoutBroken: boolean
  /** Before every page and every answer of the API. */
  delayMs: number
  isPriceWrong: boolean
  isButtonMissing: boolean
  /** Of the button that puts a product into the cart. */
  buttonLabel: string
  hasConsoleErrors: boolean
  /** The stylesheet is not found. */
  isAssetMissing: boolean
  /** The home page leads back to itself. */
  isLooping: boolean
}

export const allWell: ShopSwitches = {
  isCheckoutBroken: false,
  delayMs: 0,
  isPriceWrong: false,
  isButtonMissing: false,
  buttonLabel: 'Add to cart',
  hasConsoleErrors: false,
  isAssetMissing: false,
  isLooping: false,
}

export interface ShopSession {
  cart: string[]
  userName: string | null
}

/** By their numbers. */
export type ShopOrders = Map<string, { cart: string[]; name: string }>

export interface ShopRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}

export interface ShopAnswer {
  status?: number
  type?: string
  headers?: Record<string, string>
  body?: string
}

/** Who may sign in. */
export const customer = { user: 'alice', password: 'nib and feather' } as const
