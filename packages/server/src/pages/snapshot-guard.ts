// Runs in the trace viewer's service worker, before the viewer's own code. Recorded pages are shown in our origin, but their
// content is untrusted. The viewer doesn't run their scripts; this guard enforces it for every response that is served from a
// trace, and blocks their network requests.

/** JavaScript for the beginning of the service worker. */
export const snapshotGuard = `(() => {
  const respondWith = FetchEvent.prototype.respondWith
  FetchEvent.prototype.respondWith = function (response) {
    return respondWith.call(this, guard(response))
  }
  const page = "default-src * data: blob: 'unsafe-inline'; connect-src 'none'; frame-src 'self' data:; form-action 'none'"

  async function guard(pending) {
    const response = await pending
    // Responses from the network have the headers of the server.
    if (response.url !== '' || response.body === null) return response
    const headers = new Headers(response.headers)
    const isPage = (headers.get('content-type') ?? '').startsWith('text/html')
    const hasNonce = (headers.get('content-security-policy') ?? '').includes("script-src 'nonce-")
    headers.append('content-security-policy', isPage && hasNonce ? page : "sandbox; default-src 'none'")
    headers.set('x-content-type-options', 'nosniff')
    return new Response(response.body, { status: response.status, headers })
  }
})()
`
