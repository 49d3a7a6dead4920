// What the runner would load with its first script: its compiler, a large file, and the thread that loads modules.
'use strict'

exports.warm = async (load) => {
  try {
    const { babelTransform } = load('playwright/lib/transform/babelBundle.js')
    babelTransform('import a from "b"; const c: number = a', '/work/warm.ts', false, [], [])
    const { registerESMLoader, configureESMLoader } = load('playwright/lib/common/esmLoaderHost.js')
    if (registerESMLoader()) await configureESMLoader()
  } catch {
    // Another version has it elsewhere: then it is loaded with the script.
  }
}
