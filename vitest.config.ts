import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { useMemoryFolder } from './tools/memory-folder.mjs'

useMemoryFolder()

/** Shells that tests open start here: what the user of this machine runs at log-in is no part of a test. */
const emptyHome = join(tmpdir(), 'farhand-test-home')
mkdirSync(emptyHome, { recursive: true })

/** Random values are the same in every run, but for those at night and where `FARHAND_SEED` says otherwise. */
const isNight = process.env['FARHAND_NIGHT'] === '1'
const seed = process.env['FARHAND_SEED'] ?? String(isNight ? Date.now() % 2 ** 31 : 20_260_101)

/** Tests that race a clock, a display, a keychain or a socket of the system: left out where the time is not the real one. */
const timing = [
  'test/agent/capabilities/terminal.test.ts',
  'test/agent/desktop/{browser,person,remote-control,window-server}.test.ts',
  'test/agent/platform/{become-user,native,x11-*}.test.ts',
  'test/agent/desktop/session/{picture,slow-viewer,x11}.test.ts',
  'test/agent/trust/pinned-access.test.ts',
  'test/network/*.test.ts',
  'test/security/{T12-enumeration,T12-identity,T12-keys,T32-*}.test.ts',
  'test/server/network/announcer.test.ts',
  'test/server/engines/relay/{ending,piping}.test.ts',
  'test/server/engines/secrets/keychain.test.ts',
  'test/signalr/websockets.test.ts',
]

/** Tests that compare dates of files, which stay real under faketime, with the clock. */
const ofFileDates = [
  'test/agent/capabilities/{file-transfers,resumed-uploads}.test.ts',
  'test/agent/install/killed-installations.test.ts',
  'test/tools/{agent-work-folder,start}.test.ts',
]

/** Tests that start or kill processes, fill a database, or need a browser or several servers: left out of `npm run test:fast`. Vitest ignores `--exclude` in projects. */
const slow = [
  'test/agent/cli/program*',
  'test/agent/desktop/window-server*',
  'test/agent/capabilities/terminal*',
  'test/server/engines/cluster/**',
  'test/server/engines/database/**',
  'test/server/engines/http/contract/list*',
  'test/server/engines/process/killed*',
  'test/server/engines/secrets/keychain*',
  'test/server/surface/cluster/**',
]

/**
 * Files that run only at night, or if `npm test -- PART_OF_A_PATH` names them: slow by nature, and rarely broken alone. Each group says
 * what it tries, and which tests cover that by day. A threat keeps at least one file by day.
 */
const atNight = [
  // The shell beside updates, a service and other data. By day: `index`, `guards`, `settings`, `T01-setup-code`,
  // `server/network/window-address`; the desktop in `e2e`.
  'test/main/{accounts,data-folder,desktop,desktop-update,service-window,start-at-login}.test.ts',
  // Hosts on networks of their own. By day: `T17-install-command`, `T47-two-of-one`, `agent/trust/pinned-access`.
  'test/network/*.test.ts',
  // Several processes that share a database. By day: `server/surface/cluster`, `server/engines/cluster`, `engines/database/postgres`.
  'test/scale/*.test.ts',
  'test/server/engines/database/postgres-{failures,move,servers}.test.ts',
  'test/security/T10-silent-database.test.ts',
  // Two servers with other clocks, files, bodies, guests, machines or a Redis over TLS. By day: `server/surface/cluster/{device-answers,two-servers}`,
  // `server/engines/cluster`, `T15-forged-cluster-messages`; on one server `T13-replay`, `T30-*`, `T40-anonymous-*`, `recordings/lost-ends`.
  'test/server/surface/cluster/{batch-files,batches-elsewhere,clock-skew,live-bodies,recordings-elsewhere,unclaimed-servers}.test.ts',
  'test/server/engines/cluster/redis-tls.test.ts',
  'test/server/health/server-clocks.test.ts',
  'test/server/recordings/other-server.test.ts',
  'test/security/{T13,T30,T40}-other-server.test.ts',
  // Thousands of devices, rights, chunks, records or requests, and messages of many megabytes. By day: limits of other rows in `T44-row-limits`,
  // `T20-{connections,exhaustion,sign-ins}`, `T26-{forms,transfer-budgets,work-that-grows}`, `T29-outliving-{sessions,transfers}`,
  // `recordings/misuse`, `T40-anonymous-*`, `T44-invitations`.
  'test/security/T20-{bodies-in-small-chunks,handshakes,page-tickets,parallel-requests,subscriptions}.test.ts',
  'test/security/{T26-many-rights,T26-recorded-messages,T29-outliving-readings,T40-unread-answers}.test.ts',
  'test/security/T44-{mails-to-strangers,registered-devices}.test.ts',
  // The mirrors after each write. By day on PostgreSQL, by `.ci/run`; every server of a test compares its mirrors when it stops.
  'test/server/call/mirrors/following.test.ts',
  // Processes that are killed while they write. By day: `engines/database/durability`, `server/updates/keeper`, `server/backup`,
  // `engines/tls/interrupted`, `recordings/lost-ends`, `server/audit/{chain,restarts}`.
  'test/agent/install/killed-installations.test.ts',
  'test/agent/link/new-key.test.ts',
  'test/server/audit/command-line.test.ts',
  'test/server/backup/move-folder.test.ts',
  'test/server/engines/process/killed.test.ts',
  'test/server/health/never-silently-dead.test.ts',
  'test/server/recordings/killed-server.test.ts',
  'test/server/updates/placed-program.test.ts',
  // A simulated year, and alerts under a clock that jumps. By day: `server/jobs/clean-up`, `server/health/retention-clock`, `server/alerts`.
  'test/server/alerts/clock-jumps.test.ts',
  'test/server/health/year.test.ts',
  // Commands beside a running server, each in a process. By day: `appliance-people`, `two-factor`, `surface/commands-help`,
  // `identity-mailed-codes`.
  'test/server/identity/account-command.test.ts',
  'test/server/providers/provider-down.test.ts',
  // Keychains of the system, and collectors in processes. By day: `secrets/{key-file,protected-store}`, `telemetry/{settings,spans}`.
  'test/server/engines/secrets/keychain.test.ts',
  'test/server/surface/telemetry/{export,standard-variables}.test.ts',
  // Certificates that take long to read. By day: `T26-agent-budgets`, `T26-busy-*`.
  'test/security/T26-hostile-certificates.test.ts',
  // Agents in processes that replace themselves, and windows of theirs. By day: `T39-signed-agents`, `agent/desktop/conversations`.
  'test/agent/capabilities/{resumed-uploads,update}.test.ts',
  'test/agent/desktop/person.test.ts',
  // Films and a real agent on X displays. By day: `agent/desktop/{desktops,session/*}`, `agent/capabilities/desktops`; a visit to a
  // real agent in `e2e/visit`.
  'test/agent/desktop/remote-control.test.ts',
  'test/agent/desktop/session/video-choice-x11.test.ts',
  // Every kind of PFX file, and the scripts of installers for Windows. By day: `server-tls` serves PFX; `main/package`.
  'test/server/engines/tls/pfx.test.ts',
  'test/main/installers.test.ts',
  // Real installations, and agents beside impostors and restored servers. By day: `T17-{ended-statements,install-command,weak-tls}`,
  // `agent/cli/program`, `server/backup/restore`; of command lines `T32-polled-questions`, `agent/capabilities/desktops`.
  'test/agent/cli/discover.test.ts',
  'test/agent/install/refused-installations.test.ts',
  'test/security/{T17-restored-server,T17-stand-ins,T32-listed-secrets}.test.ts',
  // Several X servers for each test. By day: `agent/capabilities/desktops`, `agent/platform/x11-*`, `T32-hostile-desktops`.
  'test/agent/platform/x11-discover.test.ts',
  'test/security/T32-prepared-displays.test.ts',
  // Full disks and blocked output. By day: `engines/database/durability`, `T37-hung-files`.
  'test/security/T37-{lost-output,silent-displays}.test.ts',
  // Random requests to each route, and clients that others generate. By day: `surface/{access,bad-requests,clients,openapi,tenants}`.
  'test/surface/{generated-clients,openapi-properties}.test.ts',
  // A server in a process whose log is searched, and a list of thousands. By day: `T16-secrets-in-logs`; `organization/{device,user}-groups`.
  'test/security/T16-identity-secrets.test.ts',
  'test/server/organization/group-members.test.ts',
  // Commands of developers, and the whole bundle of a device. By day: each CI run starts most of them; `tools/built-server`.
  'test/tools/{agent-downloads,help,joined-servers,node-version,start}.test.ts',
]
const isNamed = process.env['FARHAND_NAMED'] === '1'

const notNow = [
  ...(isNight || isNamed ? [] : atNight),
  ...(process.env['FAKETIME'] ? [...timing, ...ofFileDates] : []),
  ...(process.env['FARHAND_FAST'] ? slow : []),
]

const project = (name: string, include: string[]) => ({
  test: {
    name,
    include,
    exclude: notNow,
    // CONTRIBUTING.md, "Tests".
    retry: 1,
    setupFiles: [
      'random-values',
      'quick-passwords',
      'no-source-maps',
      // Each file of the shell has a process of its own.
      ...(name === 'main' ? [] : ['same-environment']),
    ].map((file) => `test/support/${file}.ts`),
    // What hangs ends; what is only slow, because other tests use the machine too, does not fail.
    testTimeout: isNight ? 600_000 : 60_000,
    hookTimeout: 60_000,
    // A second, as it is by itself, is what a busy machine needs to start a process.
    expect: { poll: { timeout: 50_000 } },
    // Files of a project share what a worker has loaded: without that, half of the processor time is reading the same server
    // again. So there are few projects.
    isolate: false,
    // Node reads our TypeScript itself: what Vite makes of it takes a seventh more of the processor time.
    experimental: { viteModuleRunner: name === 'main', nodeLoader: false },
    env: { HOME: emptyHome, FARHAND_SEED: seed },
  },
})

/** Files that Node loads itself, without a transform by Vite. */
const ofServer = new RegExp(`${import.meta.dirname}/(server|shared)/.+\\.ts$`)

/** Prints once what repeats the random values of a run. */
const seedPrinter = { onInit: () => console.log(`Random values: FARHAND_SEED=${seed}`) }

export default defineConfig({
  test: {
    // More than CI has cores: tests wait for processes, timers and disks, but each worker reads the server for itself.
    maxWorkers: 3,
    // With FARHAND_TEST_DATABASE=postgres, servers of tests keep their data in PostgreSQL instead of SQLite.
    globalSetup: ['test/support/database-of-run.ts'],
    reporters: ['default', seedPrinter, './tools/retried-tests.mjs'],
    projects: [
      project('other', ['test/!(main|wayland|windows|wine)/**/*.test.{ts,tsx}']),
      // Started by `npm run test:wayland`, which makes what it needs.
      ...(process.env['FARHAND_WAYLAND'] ? [project('wayland', ['test/wayland/**/*.test.ts'])] : []),
      // Started by `npm run test:wine`, which makes what it needs.
      ...(process.env['FARHAND_WINE'] ? [project('wine', ['test/wine/**/*.test.ts'])] : []),
      // Started by `npm run test:windows`.
      ...(process.env['FARHAND_WINDOWS'] ? [project('windows', ['test/windows/**/*.test.ts'])] : []),
      {
        // The stand-in for Electron has a state: each file gets its own.
        test: {
          ...project('main', ['test/main/**/*.test.ts']).test,
          isolate: true,
          // Each shell of a test is loaded anew; the server is not, and needs no stand-in.
          server: { deps: { inline: ['electron-store'], external: [ofServer] } },
        },
        // Electron's own package would try to download its program; the tests of the shell bring a stand-in.
        resolve: { alias: { electron: new URL('test/main/fake-electron.ts', import.meta.url).pathname } },
      },
    ],
  },
})
