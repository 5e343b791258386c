/** Who may import whom, as tables. oxlint.config.ts turns them into rules; docs/architecture.md draws the picture. */

/** Top folders that nobody else imports (test/ and scripts/ may import anything). */
export const walls = [
  { folder: 'main', message: 'Nothing imports the desktop shell: pass what is needed into createApp().' },
  { folder: 'renderer', message: 'Nothing imports the page; what both sides need belongs in shared/.' },
  { folder: 'agent', message: 'Nothing imports the agent; what both sides need belongs in shared/.' },
  {
    folder: 'server',
    message: 'Only main/ imports the server, through app.ts; what both sides need belongs in shared/.',
  },
]

/** Packages that live behind one door, and the folders where it is open. */
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
    packages: ['@peculiar/x509'],
    open: ['server/tls'],
    message: 'Certificates are made in server/tls; whoever needs one asks app.tls().',
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
      'server/services',
      'server/policies',
      'server/auth',
    ],
    message: 'Queries live in mirrors/, services/, policies/ and auth/: pass the row in.',
  },
]

interface Zone {
  /** What of server/ this folder may import, besides itself and the clock, the log and the errors of a start. */
  imports: readonly string[]
  message: string
}

const apart = 'Routes, hubs and jobs never import each other: what two of them need is a service.'
const engine = 'An engine knows nothing of the product: app.ts passes in what it needs.'
/** What every layer of the product may use. */
const ground = ['config', 'errors', 'principal', 'clients']
const data = ['mirrors', 'live', 'streams', 'agent-packages', 'models', 'database', 'mailer', 'call', ...ground]

/** The folders of server/, from the top down. */
export const zones: Readonly<Record<string, Zone>> = {
  routes: { imports: ['http', 'json', 'presenters', 'policies', 'auth', 'services', ...data], message: apart },
  hubs: {
    imports: ['http', 'signalr', 'relay', 'presenters', 'policies', 'auth', 'services', ...data],
    message: apart,
  },
  jobs: { imports: ['services', ...data], message: apart },
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
  mirrors: {
    imports: ['live', 'models', 'database', 'secrets', ...ground],
    message: 'A mirror follows the commits of its table; what else it needs is passed in.',
  },
  live: {
    imports: ['models', ...ground],
    message: 'Live state that no table holds: what it needs is passed in. A table is mirrored in mirrors/.',
  },
  streams: { imports: ['errors'], message: 'Streams move and spool bytes, for whom is passed in.' },
  'agent-packages': {
    imports: ['config', 'errors'],
    message: 'Agent packages are read, checked and built here; who may have them is decided in services/.',
  },
  listening: {
    imports: ['http', 'tls', 'config', 'errors'],
    message: 'Listeners open addresses; what answers is passed in.',
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
  secrets: { imports: ['errors'], message: 'The secret store is a port and knows nothing of the product.' },
  config: {
    imports: [],
    message: 'Settings are read before anything else exists; what uses them gets them passed in.',
  },
  http: { imports: ['errors', 'json'], message: engine },
  signalr: { imports: [], message: engine },
  relay: { imports: [], message: engine },
  announcing: { imports: [], message: engine },
  tls: { imports: [], message: engine },
}

const features = 'A page arranges features; what two features need belongs in components/, hooks/ or api/.'
const blocks = ['components', 'hooks', 'api', 'strings', 'styles']

/** The folders of renderer/, from the top down. Nothing imports app.tsx, main.tsx or router.tsx. */
export const rendererZones: Readonly<Record<string, Zone>> = {
  shell: { imports: ['features', ...blocks], message: 'The shell is the frame: the router puts pages into it.' },
  pages: { imports: ['features', ...blocks], message: 'Nothing imports a page: what two pages need is a feature.' },
  features: { imports: blocks, message: features },
  components: { imports: ['hooks', 'api', 'strings', 'styles'], message: 'A component knows no feature and no page.' },
  hooks: {
    imports: ['api', 'strings', 'styles'],
    message: 'A hook renders nothing: what does belongs in components/.',
  },
  api: { imports: ['strings'], message: 'api/ speaks to the server and knows nothing of the page.' },
  strings: {
    imports: [],
    message: 'The catalogue holds texts: what decides between them belongs where they are shown.',
  },
  styles: { imports: ['strings'], message: 'Styles and preferences are the ground of the page.' },
}

/** Folders of renderer/ whose subfolders do not import each other; of features, the imports that are allowed all the same. */
export const rendererRooms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  pages: {},
  features: {
    chat: [],
    control: ['viewer-kit'],
    files: ['transfers'],
    logs: ['transfers'],
    'sign-in': [],
    terminal: ['viewer-kit'],
    transfers: [],
    'viewer-kit': [],
    vnc: ['viewer-kit'],
  },
}
