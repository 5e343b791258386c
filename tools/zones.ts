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
  'home alerts history updates membership providers identity batches agents remote consent recordings devices health',
  'credentials organization backup assignments notifications events fleet people network settings rights audit',
)
/** Folders that every subject asks: what a handler gets with rows in memory, engines and ground. */
const ofAll = ['call', 'engines', 'ground']

interface Door {
  packages: readonly string[]
  /** Folders that import them. */
  open: readonly string[]
  message: string
}

const door = (packages: string, open: string, message: string): Door => ({
  packages: words(packages),
  open: words(open),
  message,
})

/** Packages restricted to some folders. */
export const doors: readonly Door[] = [
  door('electron electron-store', 'main', 'Only main/ knows Electron; the server also runs under plain Node.'),
  door(
    'accepts busboy compression content-disposition cors express helmet',
    'server/engines/http',
    'Express lives in server/engines/http; a handler gets parsed input and returns a value.',
  ),
  door('cookie', 'server/engines/http', 'Cookies are read and written in server/engines/http/web/cookies.ts.'),
  door(
    'ws',
    'agent',
    'The server reads frames itself, in server/engines/flow/websocket: ws buffers whole messages, and reads all at once.',
  ),
  door('multicast-dns', 'server/network agent', 'Announcements on the network live in server/network and agent.'),
  door('bufferutil', 'server/engines/flow', 'Frames are unmasked in server/engines/flow/websocket.'),
  {
    packages: words(
      '@azure/monitor-opentelemetry-exporter @opentelemetry/sdk-node @opentelemetry/api @opentelemetry/api-logs',
      '@opentelemetry/exporter-logs-otlp-grpc @opentelemetry/exporter-metrics-otlp-grpc',
      '@opentelemetry/exporter-trace-otlp-grpc @opentelemetry/exporter-prometheus',
    ),
    open: words('shared server/telemetry agent/telemetry'),
    message: 'OpenTelemetry is loaded in the telemetry folders, and only with a key; others get hooks.',
  },
  door(
    'openid-client',
    'server/providers',
    'Identity providers are asked in server/providers, with bounded time and bytes.',
  ),
  door('@simplewebauthn/server', 'server/identity', 'Passkeys are verified in server/identity/webauthn.ts.'),
  door('sqlite3', 'server/engines/database', 'The database is opened in server/engines/database.'),
  {
    packages: ['sequelize'],
    open: ['engines/database', 'call', ...subjects].map((room) => `server/${room}`),
    message: 'Queries live in subjects; an engine gets rows passed in.',
  },
]

interface Zone {
  /** Folders and files of the top folder that this folder may import. */
  imports: readonly string[]
  message: string
}

const zone = (imports: string, message: string): Zone => ({ imports: imports === '' ? [] : words(imports), message })

/** Subfolders of a folder, with the siblings that each may import. */
type Rooms = Readonly<Record<string, readonly string[]>>

export interface TopZones {
  folders: Readonly<Record<string, Zone>>
  /**
   * Files of the top folder, without extension, restricted to the folders that name them; other files are open to all.
   */
  files?: readonly string[]
  /** Files that stand above the folders that hold them. */
  handlers?: Zone & { folders: readonly string[]; files: string }
  /** Folders whose subfolders import listed siblings only. */
  rooms?: Readonly<Record<string, Rooms>>
}

const ofEngine = 'An engine knows nothing of the product: app.ts passes in what it needs.'

/** Folders of server/, from the top down. */
const server: Readonly<Record<string, Zone>> = {
  surface: {
    imports: ['open-app', ...subjects, ...ofAll],
    message: 'surface/ binds declarations and commands to the subjects; the work belongs in a subject.',
  },
  telemetry: { imports: ['surface', 'remote', 'settings', ...ofAll], message: ofEngine },
  ...Object.fromEntries(
    subjects.map((name, index) => [
      name,
      {
        imports: [...subjects.slice(index + 1), ...ofAll],
        message: 'A subject asks those below it in tools/zones.ts; what two of them own belongs in the lower one.',
      },
    ]),
  ),
  call: {
    imports: [...subjects, 'engines', 'ground'],
    message: 'call/ joins the tables and the state of all subjects; the work belongs in a subject.',
  },
  engines: zone('ground', ofEngine),
  ground: zone('', 'Everything imports the ground, and it imports nothing.'),
}

const features = 'A page arranges features; what two features need belongs in components/, hooks/ or api/.'
const blocks = ['components', 'hooks', 'api', 'styles', 'text']

/** Folders of renderer/, from the top down. */
const renderer: Readonly<Record<string, Zone>> = {
  shell: { imports: ['features', ...blocks], message: 'The shell is the frame: the router puts pages into it.' },
  pages: { imports: ['features', ...blocks], message: 'Nothing imports a page: what two pages need is a feature.' },
  features: { imports: blocks, message: features },
  components: zone('hooks api styles text', 'A component knows no feature and no page.'),
  hooks: zone('api styles text', 'A hook renders nothing: what does belongs in components/.'),
  api: zone('text', 'api/ speaks to the server and knows nothing of the page.'),
  styles: zone('', 'Styles and preferences are the ground of the page.'),
  text: zone('', 'text/ turns values into text; sentences are in the texts.ts of the place that shows them.'),
}

const capability = 'A capability answers the calls of a server; what two capabilities need belongs in link/ or base/.'

/** Folders of agent/, from the top down. */
const agent: Readonly<Record<string, Zone>> = {
  cli: zone(
    'run install capabilities device link desktop-host desktop trust platform base',
    'Commands call everything, and nothing imports a command or the entry.',
  ),
  capabilities: zone('device link desktop-host trust platform base', capability),
  install: zone(
    'device link trust platform base',
    'Installing starts and stops the agent as a service; what the running agent does is no part of it.',
  ),
  device: zone(
    'link trust platform base',
    'device/ reads and reports the facts of this device; what others ask for is a capability.',
  ),
  telemetry: zone(
    'trust base',
    'Telemetry is exported here, and loaded only with a key; what is exported is passed in by run.ts.',
  ),
  link: zone('trust platform base', 'The link carries calls and knows none of them.'),
  'desktop-host': zone(
    'desktop platform base',
    'The host starts and supervises desktop processes; the platform finds desktops.',
  ),
  desktop: zone(
    'trust platform base',
    'The desktop process runs as the user of the desktop and knows nothing of the agent that started it.',
  ),
  trust: zone('platform base', 'trust/ decides which server is believed, before anything is sent to it.'),
  platform: zone(
    'base',
    'A platform implements interfaces for one operating system; what the agent does with them belongs above.',
  ),
  base: zone('', 'base/ is the ground of the agent and imports nothing above it.'),
}

/** Folders of shared/, from the top down. */
const shared: Readonly<Record<string, Zone>> = {
  api: zone('dtos contract', 'Routes name DTOs; what a hub declares too belongs in dtos/.'),
  hubs: zone('dtos contract', 'Hubs name DTOs; what a route declares too belongs in dtos/.'),
  dtos: zone('remote-control contract', 'A DTO is part of routes and hubs, and knows neither.'),
  'remote-control': zone('contract', 'Messages between viewer and device know no route and no hub.'),
  telemetry: zone('', 'Telemetry is declared here and imports nothing of the product.'),
  windows: zone('', 'windows/ calls Windows for agent and server, and knows nothing of the product.'),
  contract: zone('', 'contract/ is how to declare, and knows nothing of what is declared.'),
}

export const zones: Readonly<Record<string, TopZones>> = {
  shared: { folders: shared },
  server: {
    folders: server,
    handlers: {
      folders: subjects,
      files: '*.{routes,hub,command}.ts',
      imports: ['surface', 'open-app', ...subjects, ...ofAll],
      message: 'A handler is bound by surface/, and asks the work of any subject.',
    },
    files: ['app', 'appliance-server', 'commands', 'jobs', 'keep', 'main', 'open-app', 'open-logs', 'program'],
    rooms: {
      engines: {
        http: ['flow'],
        signalr: ['flow'],
        relay: ['flow'],
        outgoing: [],
        secrets: ['tls'],
        tls: [],
        database: [],
        process: [],
        flow: [],
      },
    },
  },
  renderer: {
    folders: renderer,
    files: ['app', 'main', 'router'],
    rooms: {
      pages: {},
      features: {
        alerts: [],
        chat: ['transfers'],
        control: ['transfers', 'viewer-kit'],
        files: ['transfers', 'viewer-kit'],
        history: [],
        logs: ['transfers'],
        player: ['control', 'terminal', 'viewer-kit'],
        shares: [],
        'sign-in': [],
        terminal: ['transfers', 'viewer-kit'],
        timeline: [],
        transfers: [],
        'viewer-kit': [],
        vnc: ['transfers', 'viewer-kit'],
      },
    },
  },
  agent: {
    folders: agent,
    files: ['main', 'run'],
    rooms: {
      platform: {
        desktop: [],
        linux: ['unix', 'desktop'],
        macos: ['unix', 'native'],
        native: ['desktop'],
        unix: [],
        windows: ['desktop'],
      },
    },
  },
}
