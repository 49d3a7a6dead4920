import type { KnipConfig } from 'knip'

// Entries and files that end with "!" count in the production run, which finds code that only tests use. There an export
// that its own file uses is alive: it is exported for a test.
const isProduction = process.argv.includes('--production')

export default {
  ignoreExportsUsedInFile: isProduction,
  workspaces: {
    '.': {
      entry: [
        'scripts/*.mjs',
        'bench/*.bench.ts',
        'bench/*-target.ts',
        'bench/plain-server.ts',
        'bench/simulated-fleet.ts',
        'e2e/**/*.{test,story}.ts',
        'e2e/drills/*.drill.ts',
      ],
      project: ['scripts/**/*.{mjs,ts}', 'bench/**/*.ts', 'e2e/**/*.ts'],
      // Loaded into the browser of a test by its path.
      ignoreDependencies: ['axe-core'],
      ignoreBinaries: [
        'vedette',
        'apt-get',
        'dpkg-deb',
        'unshare',
        'setpriv',
        'mount',
        'umount',
        'caddy',
        'fish',
      ],
    },
    'packages/contracts': {
      project: ['src/**/*.ts!', '!src/**/*.{test,story,fixture,conformance}.ts!'],
    },
    'packages/safeguards': {
      project: ['src/**/*.ts!', '!src/**/*.{test,story,fixture,conformance}.ts!'],
    },
    'packages/server': {
      entry: [
        ...(isProduction ? ['src/generate.ts!'] : []),
        'src/alerting/delivery/template-worker.ts!',
        'src/checks/script-syntax-worker.ts!',
        'src/**/*.story.ts',
      ],
      // The trace viewer and the web app are served as files, found by the path of their package.
      ignoreDependencies: isProduction ? ['playwright-core', '@vedette/web'] : ['@vedette/web'],
      project: ['src/**/*.ts!', '!src/**/*.{test,story,fixture,conformance}.ts!', '!src/testing/**!'],
    },
    'packages/agent': {
      entry: [
        ...(isProduction ? ['src/generate.ts!'] : []),
        'src/judge/judge-worker.ts!',
        'src/net/grpc-schema-worker.ts!',
        'src/sandbox/child/main.ts!',
        'src/sandbox/cell-programs/supervisor.ts!',
        'src/code/agentic/host/host.ts!',
        'src/**/*.story.ts',
        // Programs of a drill and of a bench.
        'src/sandbox/{run-groups,neighbors}.fixture.ts',
      ],
      project: ['src/**/*.ts!', '!src/**/*.{test,story,fixture,conformance}.ts!'],
      ignoreBinaries: ['mount', 'umount', 'setsid', 'strace', 'du', 'perl'],
    },
    'packages/web': {
      project: ['src/**/*.{ts,tsx}!', '!src/**/*.test.ts!'],
    },
    'packages/cli': {
      entry: ['src/main.ts!', ...(isProduction ? ['src/generate.ts!'] : [])],
      project: ['bin/**/*.mjs!', 'src/**/*.ts!', '!src/**/*.{test,story,fixture,conformance}.ts!'],
    },
  },
} satisfies KnipConfig
