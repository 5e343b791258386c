/**
 * Import rules between folders, as tables. oxlint.config.ts turns them into lint rules; docs/architecture.md draws the
 * picture.
 */

const words = (...lines: readonly string[]) => lines.flatMap((line) => line.split(' '))

/** Top folders that no other folder imports (test/ and tools/ may import anything). */
export const walls = [
  { folder: 'main', message: 'Nothing imports the desktop shell: pass what is needed into createApp().' },
  { folder: 'renderer', message: 'Nothing imports the page; what both sides need belongs in shared/.' },
  { folder: 'agent', message: 'Nothing imports the agent; what both sides need belongs in shared/.' },
  {
    folder: 'server',
    message: 'Only main/ imports the server, through app.ts; what both sides need belongs in shared/.',
  },
]

/** Subjects of server/, from the top down: a folder each, which asks those below it. */
const subjects = words(
  'home alerts history updates membership providers identity batches agents files remote recordings devices health',
  'credentials organization backup assignments notifications events fleet people network settings rights audit',
)
/** Folders that every subject asks: what a handler gets with rows in memory, engines and ground. */
const ofAll = ['call', 'engines', 'ground']

const door = (packages: readonly string[], open: readonly string[], message: string) => ({ packages, open, message })

/** Packages restricted to some folders. */
export const doors = [
  door(['electron', 'electron-store'], ['main'], 'Only main/ knows Electron; the server also runs under plain Node.'),
  door(
    words('accepts busboy compression content-disposition cookie cors express helmet'),
    ['server/engines/http'],
    'Express lives in server/engines/http; a handler gets parsed input and returns a value. Cookies: web/cookies.ts there.',
  ),
  door(
    ['ws'],
    ['agent', 'server/surface/cluster', 'server/engines/signalr'],
    'The server reads frames of clients itself, in server/engines/flow/websocket: ws buffers whole messages, and reads all at once. As a client of another server it uses ws.',
  ),
  door(['@redis/client'], ['server/engines/cluster'], 'Redis joins servers in server/engines/cluster alone.'),
  door(['bufferutil'], ['server/engines/flow'], 'Frames are unmasked in server/engines/flow/websocket.'),
  door(
    ['multicast-dns'],
    ['server/network', 'agent'],
    'Announcements on the network live in server/network and agent.',
  ),
  door(
    words(
      '@azure/monitor-opentelemetry-exporter @opentelemetry/sdk-node @opentelemetry/api @opentelemetry/api-logs',
      '@opentelemetry/exporter-logs-otlp-grpc @opentelemetry/exporter-metrics-otlp-grpc',
      '@opentelemetry/exporter-trace-otlp-grpc @opentelemetry/exporter-prometheus',
    ),
    ['shared', 'server/surface/telemetry', 'agent/telemetry'],
    'OpenTelemetry is loaded in the telemetry folders, and only with a key; others get hooks.',
  ),
  door(
    ['openid-client'],
    ['server/providers'],
    'Identity providers are asked in server/providers, with bounded time and bytes.',
  ),
  door(['@simplewebauthn/server'], ['server/identity'], 'Passkeys are verified in server/identity/webauthn.ts.'),
  door(['pg', 'sqlite3'], ['server/engines/database'], 'The database is opened in server/engines/database.'),
  door(
    ['sequelize'],
    ['engines/database', 'call', ...subjects].map((room) => `server/${room}`),
    'Queries live in subjects; an engine gets rows passed in.',
  ),
]

/** Folders, each with the siblings that it may import. */
type Imports = Readonly<Record<string, readonly string[]>>

/** Folders in layers, from the top down: each imports the layers below it, and no folder of its own layer. */
const layers = (...rows: readonly string[]): Imports =>
  Object.fromEntries(
    rows.flatMap((row, index) =>
      words(row).map((folder) => [folder, rows.slice(index + 1).flatMap((each) => words(each))]),
    ),
  )

const agent = layers(
  'cli',
  'capabilities install telemetry',
  'device',
  'link desktop-host',
  'desktop',
  'trust',
  'platform',
  'base',
)

export interface TopZones {
  folders: Imports
  /** Shown for an import that `folders` or `rooms` do not allow. */
  message: string
  /** Files of the top folder, without extension, restricted to the folders that name them; other files are open to all. */
  files?: readonly string[]
  /** Files that stand above the folders that hold them. */
  handlers?: { folders: readonly string[]; files: string; imports: readonly string[]; message: string }
  /** Folders whose subfolders import listed siblings only. */
  rooms?: Readonly<Record<string, Imports>>
}

export const zones: Readonly<Record<string, TopZones>> = {
  shared: {
    folders: layers('api hubs', 'dtos', 'remote-control', 'contract telemetry windows'),
    message: 'shared/ imports downwards: routes and hubs name DTOs, and contract/ knows nothing of what is declared.',
  },
  server: {
    folders: {
      surface: ['open-app', ...subjects, ...ofAll],
      ...layers(...subjects, ofAll.join(' ')),
      call: [...subjects, 'engines', 'ground'],
      engines: ['ground'],
    },
    message:
      'A subject asks those below it in tools/zones.ts; what two own belongs in the lower one. An engine knows no subject: app.ts passes in what it needs.',
    handlers: {
      folders: subjects,
      files: '*.{routes,hub,command}.ts',
      imports: ['surface', 'open-app', ...subjects, ...ofAll],
      message: 'A handler is bound by surface/, and asks the work of any subject.',
    },
    files: ['app', 'commands', 'jobs', 'main', 'open-app', 'open-logs', 'program', 'server-lifecycle'],
    rooms: {
      engines: layers('http signalr relay outgoing secrets cluster', 'tls database process flow'),
      surface: layers('telemetry cluster'),
    },
  },
  renderer: {
    folders: layers('shell pages', 'features', 'components', 'hooks', 'api', 'styles text'),
    message: 'A page arranges features; what two pages need is a feature, and what two features need a component.',
    files: ['app', 'main', 'router'],
    rooms: {
      pages: {},
      features: layers(
        'player',
        'chat control files logs terminal vnc',
        'viewer-kit',
        'alerts history shares sign-in timeline transfers',
      ),
    },
  },
  agent: {
    folders: {
      ...agent,
      // Commands start the agent, which run.ts composes.
      cli: ['run', ...(agent['cli'] ?? [])],
    },
    message:
      'agent/ imports downwards: a capability answers calls, link/ carries them and knows none, a platform implements interfaces for one system.',
    files: ['main', 'run'],
    rooms: { platform: layers('linux macos windows', 'unix', 'desktop') },
  },
}
