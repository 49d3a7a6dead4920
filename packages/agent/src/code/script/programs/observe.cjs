// Required by workers of the test runner that start cold.
'use strict'
const { modules } = require('./places.cjs')

require('./instrument.cjs').instrument(modules)
