import { defineConfig } from 'oxlint'
import { doors, walls, zones, type TopZones } from './tools/zones.ts'

type Pattern = { regex: string; message: string } | { group: string[]; importNames?: string[]; message: string }
type Rules = Record<string, 'off' | 'error' | ['error', ...unknown[]]>

/** oxlint takes the last override that names a rule: each zone lists all that is refused to it. */
const refuse = (patterns: readonly Pattern[], paths: readonly object[] = []): Rules => ({
  'no-restricted-imports': ['error', { patterns, paths }],
})
const wallsFor = (...except: string[]): Pattern[] =>
  walls
    .filter((wall) => !except.includes(wall.folder))
    .map(({ folder: to, message }) => ({ regex: `^(\\.\\./)+${to}/`, message }))
const doorsFor = (folder: string): Pattern[] =>
  doors
    .filter(({ open }) => !open.some((place) => folder === place || folder.startsWith(`${place}/`)))
    .map(({ packages, message }) => ({ regex: `^(${packages.join('|')})(/.*)?$`, message }))

const topZones = ['shared', 'renderer', 'agent'].map((folder) => ({
  files: [`${folder}/**`],
  rules: refuse([...wallsFor(folder), ...doorsFor(folder)]),
}))

const shellImports = [
  ...wallsFor('main', 'server'),
  { group: ['**/server/**', '!**/server/app.ts'], message: 'The shell imports server/app.ts and nothing deeper.' },
  ...doorsFor('main'),
]
const ipcMain = {
  name: 'electron',
  importNames: ['ipcMain'],
  message: 'Channels are declared in shared/ipc.ts and registered in main/ipc.ts.',
}
const shellZones = [
  { files: ['main/**'], rules: refuse(shellImports, [ipcMain]) },
  { files: ['main/ipc.ts'], rules: refuse(shellImports) },
]

/** Files of server/ that other rooms leave alone: handlers of a subject. */
const onlyFor = (folder: string): Pattern[] =>
  folder === 'surface'
    ? []
    : [
        {
          regex: '^(\\.\\./)+([a-z-]+/)+[a-z-]+\\.(routes|hub|command)\\.ts$',
          message: 'Only surface/ binds handlers: ask the work of that subject.',
        },
      ]

/** Zones of the folders of one top folder. A folder of rooms has a zone for every room, and one for rooms without a row. */
const zonesIn = (top: string, { folders, message, files = [], handlers, rooms: roomsOf = {} }: TopZones) =>
  Object.entries(folders).flatMap(([folder, imports]) => {
    const closedTo = (open: readonly string[]) =>
      [...Object.keys(folders), ...files].filter((name) => name !== folder && !open.includes(name)).join('|')
    // One step further down, `../errors.ts` is the folder's own.
    const zone = (
      room: string,
      pattern: string,
      depth: number,
      siblings: Pattern[] = [],
      open = { imports, message },
    ) => ({
      files: [`${top}/${folder}/${room}${pattern}`],
      rules: refuse([
        ...wallsFor(top),
        { regex: `^(\\.\\./){${depth}}(${closedTo(open.imports)})(/|\\.tsx?$)`, message: open.message },
        ...siblings,
        ...(top === 'server' ? onlyFor(folder) : []),
        ...(top === 'agent' ? [noSystem] : []),
        ...doorsFor(`${top}/${folder}/${room}`),
      ]),
    })
    const rooms = roomsOf[folder]
    if (!rooms) {
      const above = handlers?.folders.includes(folder)
        ? [zone('', handlers.files, 1, [], handlers), zone('', `*/${handlers.files}`, 2, [], handlers)]
        : []
      return [zone('', '*', 1), zone('', '*/**', 2), ...above]
    }
    const siblings = (depth: number, room: string, open: readonly string[]): Pattern[] => {
      const others = Object.keys(rooms).filter((other) => other !== room && !open.includes(other))
      return [{ regex: `^(\\.\\./){${depth}}${room === '*' ? '[^.]' : `(${others.join('|')})/`}`, message }]
    }
    return [
      zone('', '*', 1),
      ...Object.entries({ '*': [], ...rooms }).flatMap(([room, open]) => [
        zone(room, '/*', 2, siblings(1, room, open)),
        zone(room, '/*/*', 3, siblings(2, room, open)),
        zone(room, '/*/*/**', 4, siblings(3, room, open)),
      ]),
    ]
  })

const noTime = (name: string) => ({ name, message: 'Time is a parameter here: use the clock that was passed in.' })

const askPlatform = 'Ask agent/platform/: a difference between systems is a member of Platform, implemented per system.'
const askSystem = 'Ask system.ts: a difference between systems is a member of System, implemented per system.'
const noSystem: Pattern = { group: ['node:os', 'node:process'], importNames: ['platform'], message: askPlatform }

const waitFor = 'Wait for a condition: until, steady (test/support/until.ts), or expect.poll.'
const noSleep: Rules = {
  'no-restricted-globals': ['error', { name: 'setTimeout', message: waitFor }],
  'no-restricted-properties': ['error', { property: 'waitForTimeout', message: waitFor }],
  ...refuse(
    [{ group: ['**/support/until.ts'], importNames: ['pause'], message: waitFor }],
    [{ name: 'node:timers/promises', importNames: ['setTimeout'], message: waitFor }],
  ),
}
/** Tests in which an amount of time is the subject, and not how they wait. */
const timed = [
  // A process is killed at random moments.
  'test/server/engines/database/durability.test.ts',
  'test/server/engines/tls/interrupted.test.ts',
  // A program draws for a time that means something.
  'test/agent/desktop/session/moved-areas.test.ts',
  // Other machines are processes that show no end of their work.
  'test/network/story.test.ts',
  'test/wine/**',
  // Memory is measured while something runs.
  'test/security/T20-transfers.test.ts',
]

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'node', 'react', 'vitest'],
  categories: { correctness: 'error' },
  env: { builtin: true, es2024: true },
  ignorePatterns: ['dist', 'out', 'resources'],
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/await-thenable': 'error',
    'typescript/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    'typescript/no-explicit-any': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    // Our interfaces are of plain functions, which have no `this` to lose.
    'typescript/unbound-method': 'off',
    curly: ['error', 'all'],
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'max-lines': ['error', { max: 400 }],
    'max-lines-per-function': ['error', { max: 100 }],
    'no-console': 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'node/no-process-env': 'error',
    'vitest/consistent-test-it': ['error', { fn: 'test', withinDescribe: 'test' }],
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
    // Advice for the React compiler, which we do not use, and which refuses the table library and components as values.
    'react/immutability': 'off',
    'react/incompatible-library': 'off',
    'react/purity': 'off',
    'react/refs': 'off',
    'react/set-state-in-effect': 'off',
    'react/static-components': 'off',
    // A terminal is made of control characters.
    'no-control-regex': 'off',
    // A string is spread to get its code points.
    'typescript/no-misused-spread': ['error', { allow: ['string'] }],
    // Property tests branch on what was generated, and some helpers assert.
    'vitest/no-conditional-expect': 'off',
    'vitest/expect-expect': 'off',
    'vitest/require-mock-type-parameters': 'off',
  },
  overrides: [
    ...topZones,
    ...shellZones,
    { files: ['server/*.ts'], rules: refuse([...wallsFor('server'), ...doorsFor('server')]) },
    ...Object.entries(zones).flatMap(([top, table]) => zonesIn(top, table)),
    {
      files: ['server/engines/signalr/**', 'server/engines/relay/**'],
      rules: {
        'no-restricted-globals': ['error', ...['Date', 'performance', 'setTimeout', 'setInterval'].map(noTime)],
      },
    },
    {
      files: [
        '{main,shared/telemetry}/config.ts',
        'server/settings/config.ts',
        'agent/base/environment.ts',
        'tools/**',
        'test/**',
        '*.config.ts',
      ],
      rules: { 'node/no-process-env': 'off' },
    },
    {
      files: ['server/**', 'main/**'],
      excludeFiles: ['main/system.ts', 'server/ground/system.ts'],
      rules: {
        'no-restricted-properties': ['error', { object: 'process', property: 'platform', message: askSystem }],
      },
    },
    {
      files: ['agent/**'],
      excludeFiles: ['agent/platform/index.ts'],
      rules: {
        'no-restricted-properties': ['error', { object: 'process', property: 'platform', message: askPlatform }],
      },
    },
    { files: ['{server,agent}/main.ts', 'tools/**', 'test/**', 'vitest.config.ts'], rules: { 'no-console': 'off' } },
    { files: ['test/**/*.{test,spec}.{ts,tsx}'], excludeFiles: timed, rules: noSleep },
    {
      // What a test prints or matches may be of any shape.
      files: ['test/**'],
      rules: {
        'typescript/no-base-to-string': 'off',
        'typescript/restrict-template-expressions': 'off',
        // A group of tests is a function too.
        'max-lines-per-function': 'off',
      },
    },
  ],
})
