// Where things are: in a cell with walls at fixed places, else wherever the agent has them.
'use strict'

const given = JSON.parse(process.env.VEDETTE_PLACES)

exports.modules = given.modules
exports.work = given.work
/** What the run writes down for the agent. */
exports.notes = `${given.work}/.vedette`
