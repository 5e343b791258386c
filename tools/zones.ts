/**
 * Import rules between folders, as tables. oxlint.config.ts turns them into lint rules; docs/architecture.md draws the
 * picture.
 */

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

const ofEngine = 'An engine knows nothing of the product: app.ts passes in what it needs.'
const ofSubject = 'A subject asks the subjects of its row; what two of them own belongs in one of them.'
const ofCall = 'call/ and mirrors/ join the tables and the state of all subjects; the work belongs in a subject.'

const ground = ['ground']
const engines = ['http', 'database', 'secrets', 'settings', 'flow', 'process', ...ground]
const ofAll = ['call', 'mirrors', ...engines]

/** Subjects of server/: the product, a folder each, with the subjects, and the engines of its own, that it asks. */
const subjects: Readonly<Record<string, readonly string[]>> = {
  updates: ['agents', 'audit', 'backup', 'people', 'rights', 'surface'],
  backup: ['people', 'rights', 'updates', 'surface', 'open-app'],
  health: ['agents', 'backup', 'fleet', 'identity', 'network', 'people', 'rights', 'surface'],
  batches: ['agents', 'audit', 'devices', 'fleet', 'remote'],
  remote: ['agents', 'credentials', 'devices', 'fleet', 'people', 'rights', 'relay', 'signalr', 'surface'],
  agents: ['devices', 'fleet', 'network', 'organization', 'remote', 'rights', 'signalr', 'surface'],
  devices: ['agents', 'audit', 'fleet', 'health', 'organization', 'people', 'remote', 'rights'],
  fleet: ['devices', 'people', 'rights'],
  credentials: ['devices', 'fleet', 'identity', 'network', 'organization', 'people', 'providers', 'rights'],
  identity: ['audit', 'credentials', 'devices', 'organization', 'people', 'providers', 'rights', 'surface', 'open-app'],
  providers: ['credentials', 'identity', 'people', 'rights'],
  people: ['audit', 'devices', 'identity', 'network', 'organization', 'providers', 'rights'],
  organization: ['devices', 'fleet', 'identity', 'people', 'rights'],
  rights: ['audit', 'devices', 'fleet', 'identity', 'organization'],
  network: ['rights', 'tls'],
  audit: ['rights', 'surface'],
  settings: ['agents', 'health', 'identity', 'people', 'rights'],
}
const allSubjects = Object.keys(subjects)

/** Packages restricted to some folders. */
export const doors = [
  {
    packages: ['electron', 'electron-store'],
    open: ['main'],
    message: 'Only main/ knows Electron; the server also runs under plain Node.',
  },
  {
    packages: ['accepts', 'busboy', 'compression', 'content-disposition', 'cors', 'express', 'helmet'],
    open: ['server/http'],
    message: 'Express lives in server/http; a handler gets parsed input and returns a value.',
  },
  {
    packages: ['cookie'],
    open: ['server/http'],
    message: 'Cookies are read and written in server/http/web/cookies.ts.',
  },
  {
    packages: ['ws'],
    open: ['agent'],
    message:
      'The server reads frames itself, in server/flow/websocket: ws buffers whole messages, and reads all at once.',
  },
  {
    packages: ['multicast-dns'],
    open: ['server/network', 'agent'],
    message: 'Announcements on the network live in server/network and agent.',
  },
  {
    packages: ['bufferutil'],
    open: ['server/flow'],
    message: 'Frames are unmasked in server/flow/websocket.',
  },
  {
    packages: [
      '@azure/monitor-opentelemetry-exporter',
      '@opentelemetry/api',
      '@opentelemetry/api-logs',
      '@opentelemetry/exporter-logs-otlp-grpc',
      '@opentelemetry/exporter-metrics-otlp-grpc',
      '@opentelemetry/exporter-prometheus',
      '@opentelemetry/exporter-trace-otlp-grpc',
      '@opentelemetry/sdk-node',
    ],
    open: ['shared', 'server/telemetry', 'agent/telemetry'],
    message: 'OpenTelemetry is loaded in the telemetry folders, and only with a key; others get hooks.',
  },
  {
    packages: ['openid-client'],
    open: ['server/providers'],
    message: 'Identity providers are asked in server/providers, with bounded time and bytes.',
  },
  {
    packages: ['@simplewebauthn/server'],
    open: ['server/identity'],
    message: 'Passkeys are verified in server/identity/webauthn.ts.',
  },
  {
    packages: ['sqlite3'],
    open: ['server/database'],
    message: 'The database is opened in server/database.',
  },
  {
    packages: ['sequelize'],
    open: ['database', 'call', 'mirrors', ...allSubjects].map((room) => `server/${room}`),
    message: 'Queries live in subjects; an engine gets rows passed in.',
  },
]

interface Zone {
  /** Folders and files of the top folder that this folder may import. */
  imports: readonly string[]
  message: string
}

/** Subfolders of a folder, with the siblings that each may import. */
type Rooms = Readonly<Record<string, readonly string[]>>

export interface TopZones {
  folders: Readonly<Record<string, Zone>>
  /**
   * Files of the top folder, without extension, restricted to the folders that name them; other files are open to all.
   */
  files?: readonly string[]
  /** Folders whose subfolders import listed siblings only. */
  rooms?: Readonly<Record<string, Rooms>>
}

/** Folders of server/, from the top down. */
const server: Readonly<Record<string, Zone>> = {
  surface: {
    imports: ['open-app', 'signalr', ...allSubjects, ...ofAll],
    message: 'surface/ binds declarations and commands to the subjects; the work belongs in a subject.',
  },
  telemetry: { imports: ['surface', 'remote', ...ofAll], message: ofEngine },
  ...Object.fromEntries(
    allSubjects.map((name) => [
      name,
      { imports: [...(subjects[name] ?? []), ...ofAll].filter((other) => other !== name), message: ofSubject },
    ]),
  ),
  call: { imports: ['tls', ...allSubjects, ...ofAll].filter((name) => name !== 'call'), message: ofCall },
  mirrors: { imports: [...allSubjects, ...ofAll].filter((name) => name !== 'mirrors'), message: ofCall },
  http: { imports: ['flow', ...ground], message: ofEngine },
  signalr: { imports: ['flow', ...ground], message: ofEngine },
  relay: { imports: ['flow', ...ground], message: ofEngine },
  secrets: {
    imports: ['settings', 'tls', ...ground],
    message: 'The secret store seals and stores bytes; which bytes is decided by its callers.',
  },
  tls: { imports: ground, message: ofEngine },
  database: {
    imports: ground,
    message: 'The database is product-free: subjects build on it. A migration is SQL, and history does not change.',
  },
  process: { imports: ground, message: ofEngine },
  flow: { imports: ground, message: ofEngine },
  ground: { imports: [], message: 'Everything imports the ground, and it imports nothing.' },
}

const features = 'A page arranges features; what two features need belongs in components/, hooks/ or api/.'
const blocks = ['components', 'hooks', 'api', 'styles', 'text']

/** Folders of renderer/, from the top down. */
const renderer: Readonly<Record<string, Zone>> = {
  shell: { imports: ['features', ...blocks], message: 'The shell is the frame: the router puts pages into it.' },
  pages: { imports: ['features', ...blocks], message: 'Nothing imports a page: what two pages need is a feature.' },
  features: { imports: blocks, message: features },
  components: { imports: ['hooks', 'api', 'styles', 'text'], message: 'A component knows no feature and no page.' },
  hooks: { imports: ['api', 'styles', 'text'], message: 'A hook renders nothing: what does belongs in components/.' },
  api: { imports: ['text'], message: 'api/ speaks to the server and knows nothing of the page.' },
  styles: { imports: [], message: 'Styles and preferences are the ground of the page.' },
  text: {
    imports: [],
    message: 'text/ turns values into text; sentences are in the texts.ts of the place that shows them.',
  },
}

const capability = 'A capability answers the calls of a server; what two capabilities need belongs in link/ or base/.'

/** Folders of agent/, from the top down. */
const agent: Readonly<Record<string, Zone>> = {
  cli: {
    imports: [
      'run',
      'install',
      'capabilities',
      'device',
      'link',
      'desktop-host',
      'desktop',
      'trust',
      'platform',
      'base',
    ],
    message: 'Commands call everything, and nothing imports a command or the entry.',
  },
  capabilities: { imports: ['device', 'link', 'desktop-host', 'trust', 'platform', 'base'], message: capability },
  install: {
    imports: ['device', 'link', 'trust', 'platform', 'base'],
    message: 'Installing starts and stops the agent as a service; what the running agent does is no part of it.',
  },
  device: {
    imports: ['link', 'trust', 'platform', 'base'],
    message: 'device/ reads and reports the facts of this device; what others ask for is a capability.',
  },
  telemetry: {
    imports: ['trust', 'base'],
    message: 'Telemetry is exported here, and loaded only with a key; what is exported is passed in by run.ts.',
  },
  link: { imports: ['trust', 'platform', 'base'], message: 'The link carries calls and knows none of them.' },
  'desktop-host': {
    imports: ['desktop', 'platform', 'base'],
    message: 'The host starts and supervises desktop processes; the platform finds desktops.',
  },
  desktop: {
    imports: ['trust', 'platform', 'base'],
    message: 'The desktop process runs as the user of the desktop and knows nothing of the agent that started it.',
  },
  trust: {
    imports: ['platform', 'base'],
    message: 'trust/ decides which server is believed, before anything is sent to it.',
  },
  platform: {
    imports: ['base'],
    message: 'A platform implements interfaces for one operating system; what the agent does with them belongs above.',
  },
  base: { imports: [], message: 'base/ is the ground of the agent and imports nothing above it.' },
}

/** Folders of shared/, from the top down. */
const shared: Readonly<Record<string, Zone>> = {
  api: { imports: ['dtos', 'contract'], message: 'Routes name DTOs; what a hub declares too belongs in dtos/.' },
  hubs: { imports: ['dtos', 'contract'], message: 'Hubs name DTOs; what a route declares too belongs in dtos/.' },
  dtos: { imports: ['remote-control', 'contract'], message: 'A DTO is part of routes and hubs, and knows neither.' },
  'remote-control': { imports: ['contract'], message: 'Messages between viewer and device know no route and no hub.' },
  telemetry: { imports: [], message: 'Telemetry is declared here and imports nothing of the product.' },
  contract: { imports: [], message: 'contract/ is how to declare, and knows nothing of what is declared.' },
}

export const zones: Readonly<Record<string, TopZones>> = {
  shared: { folders: shared },
  server: {
    folders: server,
    files: ['app', 'appliance-server', 'commands', 'jobs', 'keep', 'main', 'open-app', 'program'],
  },
  renderer: {
    folders: renderer,
    files: ['app', 'main', 'router'],
    rooms: {
      pages: {},
      features: {
        chat: ['transfers'],
        control: ['transfers', 'viewer-kit'],
        files: ['transfers'],
        logs: ['transfers'],
        shares: [],
        'sign-in': [],
        terminal: ['transfers', 'viewer-kit'],
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
        windows: ['native'],
      },
    },
  },
}
