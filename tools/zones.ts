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
    open: ['server/http', 'server/auth'],
    message: 'Cookies are read in server/http and written in server/auth.',
  },
  {
    packages: ['ws'],
    open: ['server/signalr', 'agent'],
    message: 'WebSockets live in server/signalr and agent; server/relay reads their frames itself.',
  },
  {
    packages: ['bonjour-service'],
    open: ['server/announcing', 'agent'],
    message: 'Announcements on the network live in server/announcing and agent.',
  },
  {
    packages: ['bufferutil'],
    open: ['server/relay'],
    message: 'Frames are unmasked in server/relay; everyone else speaks through ws.',
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
    open: ['server/identity-providers'],
    message: 'Identity providers are asked in server/identity-providers, with bounded time and bytes.',
  },
  {
    packages: ['@simplewebauthn/server'],
    open: ['server/services'],
    message: 'Passkeys are verified in server/identity/webauthn.ts.',
  },
  {
    packages: ['sqlite3'],
    open: ['server/database', 'server/migrations'],
    message: 'The database is opened in server/database.',
  },
  {
    packages: ['sequelize'],
    open: [
      'server/database',
      'server/migrations',
      'server/models',
      'server/mirrors',
      'server/audit',
      'server/services',
      'server/policies',
      'server/auth',
    ],
    message: 'Queries live in mirrors/, audit/, services/, policies/ and auth/: pass the row in.',
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

const apart = 'Routes, hubs and jobs never import each other: what two of them need is a service.'
const engine = 'An engine knows nothing of the product: app.ts passes in what it needs.'
/** Modules that every layer of the product may use. */
const ground = ['config', 'errors', 'principal', 'actor', 'clients']
const data = [
  'audit',
  'backup',
  'mirrors',
  'live',
  'identity-providers',
  'streams',
  'agent-packages',
  'updates',
  'models',
  'database',
  'mailer',
  'call',
  ...ground,
]

/** Folders of server/, from the top down. */
const server: Readonly<Record<string, Zone>> = {
  routes: { imports: ['http', 'json', 'presenters', 'policies', 'auth', 'services', ...data], message: apart },
  hubs: {
    imports: ['http', 'signalr', 'relay', 'presenters', 'policies', 'auth', 'services', ...data],
    message: apart,
  },
  jobs: { imports: ['services', ...data], message: apart },
  commands: {
    imports: ['services', 'os-service', 'control', 'backup', 'audit', 'migrations', 'secrets', ...data],
    message: 'A command runs beside a server or without one; what a running server does for it belongs in services/.',
  },
  services: {
    imports: ['presenters', 'policies', 'auth', 'secrets', ...data],
    message: 'A service is called by routes, hubs and jobs; it reaches clients through call.app.hubs and returns rows.',
  },
  presenters: {
    imports: ['mirrors', 'live', 'models', 'config', 'json'],
    message: 'A presenter turns a row into a DTO; loading and deciding belong in services/.',
  },
  policies: { imports: data, message: 'A policy reads mirrors and models and decides; work belongs in services/.' },
  auth: {
    imports: ['http', 'secrets', ...data],
    message: 'auth/ turns a credential into a principal; rights belong in policies/, work in services/.',
  },
  audit: {
    imports: ['http', 'models', 'database', 'secrets', ...ground],
    message: 'audit/ keeps the chain of the audit log; who records what is decided in services/ and auth/.',
  },
  mirrors: {
    imports: ['live', 'models', 'database', 'secrets', ...ground],
    message: 'A mirror follows the commits of its table; what else it needs is passed in.',
  },
  live: {
    imports: ['models', ...ground],
    message: 'Live state that no table holds: what it needs is passed in. A table is mirrored in mirrors/.',
  },
  streams: { imports: ['errors'], message: 'Streams move and spool bytes; sender and receiver are passed in.' },
  'agent-packages': {
    imports: ['config', 'errors'],
    message: 'Agent packages are read, checked and built here; who may have them is decided in services/.',
  },
  updates: {
    imports: ['backup', 'database'],
    message: 'updates/ fetches, verifies and replaces versions of this program, and knows nothing of the product.',
  },
  listening: {
    imports: ['http', 'tls', 'config', 'errors'],
    message: 'Listeners open addresses; what answers is passed in.',
  },
  backup: {
    imports: ['database', 'secrets'],
    message: 'Copies are written, read and restored here; when, for whom and who is notified is decided in services/.',
  },
  models: {
    imports: ['database', 'errors'],
    message: 'A model is the lowest layer: what decides or presents belongs in services/, policies/ or presenters/.',
  },
  migrations: {
    imports: ['database'],
    message: 'A migration is SQL and imports nothing of the app: history does not change.',
  },
  database: { imports: ['errors'], message: 'The database is product-free: models and services build on it.' },
  secrets: {
    imports: ['errors'],
    message: 'The secret store seals and stores bytes; which bytes is decided by its callers.',
  },
  'identity-providers': {
    imports: ['config'],
    message: 'A provider is asked who signed in; who that is on this server is decided in services/.',
  },
  config: {
    imports: [],
    message: 'Settings are read before anything else exists; what uses them gets them passed in.',
  },
  telemetry: {
    imports: ['http', 'hubs', ...data],
    message: 'Telemetry is exported here, and loaded only with a key; engines get hooks, which app.ts passes in.',
  },
  http: { imports: ['errors', 'json'], message: engine },
  signalr: { imports: [], message: engine },
  relay: { imports: [], message: engine },
  announcing: { imports: [], message: engine },
  control: { imports: [], message: engine },
  'os-service': { imports: [], message: engine },
  tls: { imports: [], message: engine },
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
    files: ['app', 'main', 'program', 'actor', 'call', 'clients', 'errors', 'mailer', 'principal'],
    rooms: {
      services: {
        backup: ['people', 'rights'],
        batches: ['agents', 'devices', 'remote'],
        health: ['appliance', 'backup', 'devices'],
        updates: ['agents', 'backup', 'people', 'rights'],
        agents: ['agent-calls', 'devices', 'organization', 'rights'],
        remote: ['agent-calls', 'people'],
        devices: ['agent-calls', 'organization', 'rights'],
        appliance: ['network', 'people', 'rights'],
        network: ['rights'],
        credentials: ['people', 'organization', 'rights'],
        people: ['organization', 'rights'],
        organization: ['rights'],
        rights: [],
        'agent-calls': [],
      },
    },
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
