/** The path of the server's address, if it has one: a proxy may serve it below another path. */
export const basePath = document.querySelector('meta[name="vedette-base"]')?.getAttribute('content') ?? ''
