// Runs in the trace viewer's service worker, before the viewer's own code. Pages that were recorded are shown under our
// origin, and whoever made the trace wrote them: the viewer lets none of their scripts run, and here is seen to it that this
// holds for every answer that comes out of a trace, and that nothing of it calls out.

/** JavaScript for the beginning of the service worker. */
export const snapshotGuard = `(() => {
  const respondWith = FetchEvent.prototype.respondWith
  FetchEvent.prototype.respondWith = function (answer) {
    return respondWith.call(this, guarded(answer))
  }
  const page = "default-src * data: blob: 'unsafe-inline'; connect-src 'none'; frame-src 'self' data:; form-action 'none'"

  async function guarded(answer) {
    const response = await answer
    // What came over the network has the headers that the server gave it.
    if (response.url !== '' || response.body === null) return response
    const headers = new Headers(response.headers)
    const isPage = (headers.get('content-type') ?? '').startsWith('text/html')
    const isGuarded = (headers.get('content-security-policy') ?? '').includes("script-src 'nonce-")
    headers.append('content-security-policy', isPage && isGuarded ? page : "sandbox; default-src 'none'")
    headers.set('x-content-type-options', 'nosniff')
    return new Response(response.body, { status: response.status, headers })
  }
})()
`
