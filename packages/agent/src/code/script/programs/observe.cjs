// Preloaded into workers of the test runner that start cold.
'use strict'
const { modules } = require('./paths.cjs')

require('./instrument.cjs').instrument(modules)
