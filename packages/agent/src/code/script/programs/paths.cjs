// Paths in the cell: fixed ones in a namespaced cell, otherwise those of the agent.
'use strict'

const given = JSON.parse(process.env.VEDETTE_PATHS)

exports.modules = given.modules
exports.work = given.work
/** See compile-cache.cjs; null: there is none. */
exports.cache = given.cache
/** Files for the agent; see run-files.ts. */
exports.notes = `${given.work}/.vedette`
/** The cache of Playwright's compiler. */
exports.compiled = process.env.PWTEST_CACHE_DIR
