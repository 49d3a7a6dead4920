// A worker process of the test runner, and other processes that the runner forks: the program becomes what the runner named.
'use strict'
require('./compile-cache.cjs').enable()
const { modules } = require('./paths.cjs')
require('./load-ahead.cjs').deferUnused()
require('./instrument.cjs').instrument(modules)
process.argv.splice(1, 1)
require(process.argv[1])
