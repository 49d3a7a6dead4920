// Paths in the cell: fixed ones in a namespaced cell, otherwise those of the agent.
'use strict'

const given = JSON.parse(process.env.VEDETTE_PLACES)

exports.modules = given.modules
exports.work = given.work
/** Files for the agent; see run-files.ts. */
exports.notes = `${given.work}/.vedette`
