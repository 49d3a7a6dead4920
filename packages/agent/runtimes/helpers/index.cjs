// CommonJS for every Node that a runtime has: scripts import it by name or require it.
'use strict'
const fs = require('node:fs')

/** In the working directory of the run, where the agent looks for it. */
const file = 'degraded.json'
const maxReasonBytes = 100

exports.markCheckAsDegraded = function markCheckAsDegraded(reason) {
  const text = reason === undefined || reason === null ? '' : String(reason)
  if (Buffer.byteLength(text) >= maxReasonBytes) {
    throw new Error(`The reason is too long: it must be shorter than ${maxReasonBytes} bytes.`)
  }
  const messages = readMessages()
  if (text !== '') messages.push(text)
  fs.writeFileSync(file, JSON.stringify({ messages }))
}

exports.getAPIResponseTime = function getAPIResponseTime(response) {
  return response?.timings?.()?.total ?? null
}

function readMessages() {
  try {
    const { messages } = JSON.parse(fs.readFileSync(file, 'utf8'))
    return Array.isArray(messages) ? messages : []
  } catch {
    return []
  }
}
