/** Declares all exported names: instruments are made from these tables, and docs/telemetry.md is written from them. */

/** Programs that record a span or a metric. */
type Place = 'server' | 'agent'

export interface SpanDeclaration {
  /** Name as exported; parts in braces vary. */
  name: string
  kind: 'SERVER' | 'CLIENT' | 'INTERNAL'
  on: readonly Place[]
  when: string
  attributes: readonly AttributeName[]
}

export interface MetricDeclaration {
  type: 'counter' | 'gauge' | 'histogram'
  unit: string
  on: readonly Place[]
  description: string
  attributes: readonly AttributeName[]
}

/** Attributes of spans and metrics. None holds a path, a query, a header, a body or an address of a person. */
export const attributes = {
  'http.request.method': 'Method; `_OTHER` for an unknown one.',
  'http.route':
    'Declared path with its parameters by name: `/api/v1/devices/:deviceId`. Missing for unknown addresses.',
  'http.response.status_code': 'Status of the response; missing if the client disconnected before.',
  'url.scheme': '`http` or `https`.',
  'server.address': 'Host that was called.',
  'server.port': 'Port that was called.',
  'error.type': 'Class of the failure: a status of 500 or above, a code such as `ECONNREFUSED`, or `disconnected`.',
  'rpc.system': 'Always `signalr`.',
  'rpc.service': '`AgentHub` or `ViewerHub`.',
  'rpc.method': 'Method of the hub, or of the agent.',
  'farhand.refused': 'True for a call whose caller lacks the permission.',
  'db.system.name': 'Always `sqlite`.',
  'farhand.database.wait': 'Seconds in the queue of the one writer.',
  'farhand.database.kind': '`write` for a transaction, `batch` for reports that are committed together.',
  'user.id': 'Id of the user or service account.',
  'user.name': 'Its display name.',
  'device.id': 'Id of the device.',
  'session.correlation_id': 'Correlation id of the logon token, if it has one.',
  'farhand.session.kind':
    '`remote-control`, `vnc`, `terminal`, `command`, `chat`, `upload`, `download`, `logs` or `preview`.',
  'farhand.device.os': 'System of the device: `Windows`, `Linux`, `MacOs` …',
  'farhand.device.state': '`online` or `offline`.',
  'farhand.agent.version': 'Version of the agent; those beyond the 50 most frequent count as `other`.',
  'farhand.hub': '`agent` or `viewer`.',
  'farhand.queue': '`database`, `mail` or `audit`.',
  'farhand.sign_in.kind': '`password`, `passkey`, `provider` or `proof`.',
  'network.io.direction': '`to-device` or `from-device`.',
  'v8js.gc.type': '`minor`, `major`, `incremental` or `weakcb`.',
  'cpu.mode': '`user` or `system`.',
} as const satisfies Record<string, string>
export type AttributeName = keyof typeof attributes

const both = ['server', 'agent'] as const
const onServer = ['server'] as const
const httpClient = ['http.request.method', 'server.address', 'server.port'] as const
const httpServer = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'url.scheme',
  'error.type',
] as const
const rpc = ['rpc.system', 'rpc.service', 'rpc.method', 'farhand.refused', 'error.type'] as const
const visit = ['user.id', 'user.name', 'device.id', 'session.correlation_id', 'farhand.session.kind'] as const

export const spans = [
  {
    name: '{method} {route}',
    kind: 'SERVER',
    on: onServer,
    when: 'A request, but none under `/health`, `/alive` and `/metrics`. The parent is the `traceparent` of the caller.',
    attributes: httpServer,
  },
  {
    name: '{method}',
    kind: 'CLIENT',
    on: both,
    when: 'A request to another server: identity providers, releases, downloads. The other side gets the `traceparent`.',
    attributes: [...httpClient, 'http.response.status_code', 'error.type'],
  },
  {
    name: 'smtp send',
    kind: 'CLIENT',
    on: onServer,
    when: 'A mail that is handed to the mail server.',
    attributes: ['server.address', 'server.port', 'error.type'],
  },
  {
    name: '{hub}/{method}',
    kind: 'SERVER',
    on: both,
    when: 'A call of a hub method, or of a method of the agent. Not for reports of devices.',
    attributes: rpc,
  },
  {
    name: 'database write',
    kind: 'CLIENT',
    on: onServer,
    when: 'A transaction within a request or a call.',
    attributes: ['db.system.name', 'farhand.database.wait', 'error.type'],
  },
  {
    name: 'remote_access_session',
    kind: 'INTERNAL',
    on: onServer,
    when: 'A visit of a device, from `StartDeviceAccessActivity` to its end; a session of a viewer without one has its own. Ends at the latest when the viewer disconnects.',
    attributes: visit,
  },
  {
    name: '{session kind}',
    kind: 'INTERNAL',
    on: onServer,
    when: 'A session within a visit: the child `terminal`, `remote-control` …',
    attributes: ['farhand.session.kind'],
  },
  {
    name: '{activity}',
    kind: 'INTERNAL',
    on: onServer,
    when: 'A step that the viewer names with `AddViewerActivity`: a child of the visit without duration.',
    attributes: [],
  },
] as const satisfies readonly SpanDeclaration[]

export const metrics = {
  'http.server.request.duration': {
    type: 'histogram',
    unit: 's',
    on: onServer,
    description: 'Duration of requests.',
    attributes: httpServer,
  },
  'http.client.request.duration': {
    type: 'histogram',
    unit: 's',
    on: both,
    description: 'Duration of requests to other servers.',
    attributes: [...httpClient, 'http.response.status_code', 'error.type'],
  },
  'nodejs.eventloop.delay.p50': {
    type: 'gauge',
    unit: 's',
    on: both,
    description: 'Median delay of the event loop since the last export.',
    attributes: [],
  },
  'nodejs.eventloop.delay.p99': {
    type: 'gauge',
    unit: 's',
    on: both,
    description: '99th percentile of the delay of the event loop since the last export.',
    attributes: [],
  },
  'nodejs.eventloop.delay.max': {
    type: 'gauge',
    unit: 's',
    on: both,
    description: 'Largest delay of the event loop since the last export.',
    attributes: [],
  },
  'nodejs.eventloop.utilization': {
    type: 'gauge',
    unit: '1',
    on: both,
    description: 'Share of the time in which the event loop was busy since the last export.',
    attributes: [],
  },
  'v8js.memory.heap.used': { type: 'gauge', unit: 'By', on: both, description: 'Heap in use.', attributes: [] },
  'v8js.memory.heap.limit': { type: 'gauge', unit: 'By', on: both, description: 'Size of the heap.', attributes: [] },
  'v8js.gc.duration': {
    type: 'histogram',
    unit: 's',
    on: both,
    description: 'Duration of garbage collections.',
    attributes: ['v8js.gc.type'],
  },
  'process.memory.usage': { type: 'gauge', unit: 'By', on: both, description: 'Resident memory.', attributes: [] },
  'process.cpu.time': {
    type: 'counter',
    unit: 's',
    on: both,
    description: 'Processor time of this process.',
    attributes: ['cpu.mode'],
  },
  'farhand.devices': {
    type: 'gauge',
    unit: '{device}',
    on: onServer,
    description: 'Known devices by system, and whether they are connected.',
    attributes: ['farhand.device.os', 'farhand.device.state'],
  },
  'farhand.agents': {
    type: 'gauge',
    unit: '{device}',
    on: onServer,
    description: 'Known devices by the version of their agent.',
    attributes: ['farhand.agent.version'],
  },
  'farhand.hub.connections': {
    type: 'gauge',
    unit: '{connection}',
    on: onServer,
    description: 'Open connections to the hubs.',
    attributes: ['farhand.hub'],
  },
  'farhand.sessions': {
    type: 'gauge',
    unit: '{session}',
    on: onServer,
    description: 'Active sessions with devices.',
    attributes: ['farhand.session.kind'],
  },
  'farhand.relay.io': {
    type: 'counter',
    unit: 'By',
    on: onServer,
    description: 'Payload that the relay passed on.',
    attributes: ['network.io.direction'],
  },
  'farhand.database.commit.duration': {
    type: 'histogram',
    unit: 's',
    on: onServer,
    description: 'Duration of transactions without their time in the queue; its count is the number of commits.',
    attributes: ['farhand.database.kind'],
  },
  'farhand.queue.length': {
    type: 'gauge',
    unit: '{item}',
    on: onServer,
    description: 'Work that waits.',
    attributes: ['farhand.queue'],
  },
  'farhand.sign_in.refused': {
    type: 'counter',
    unit: '{attempt}',
    on: onServer,
    description: 'Refused sign-ins.',
    attributes: ['farhand.sign_in.kind'],
  },
} as const satisfies Record<string, MetricDeclaration>
export type MetricName = keyof typeof metrics
