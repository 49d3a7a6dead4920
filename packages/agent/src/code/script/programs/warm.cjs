// Loads what the runner would load with its first script: its compiler, a large file, and the thread for ES modules.
'use strict'

exports.warm = async (load) => {
  try {
    const { babelTransform } = load('playwright/lib/transform/babelBundle.js')
    babelTransform('import a from "b"; const c: number = a', '/work/warm.ts', false, [], [])
    const { registerESMLoader, configureESMLoader } = load('playwright/lib/common/esmLoaderHost.js')
    if (registerESMLoader()) await configureESMLoader()
  } catch {
    // Other versions may lack these files: then they are loaded with the script.
  }
}
