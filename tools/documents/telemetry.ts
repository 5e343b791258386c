import {
  attributes,
  metrics,
  spans,
  type MetricDeclaration,
  type SpanDeclaration,
} from '../../shared/telemetry/declarations.ts'

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** Tables of docs/telemetry.md. */
export function telemetryTables(): string {
  const spanRows = spans.map(({ name, kind, on, when, attributes: names }: SpanDeclaration) => [
    `\`${name}\``,
    kind,
    on.join(', '),
    when,
    code(names),
  ])
  const metricRows = Object.entries<MetricDeclaration>(metrics).map(
    ([name, { type, unit, on, description, ...more }]) => [
      `\`${name}\``,
      type,
      `\`${unit}\``,
      on.join(', '),
      description,
      code(more.attributes),
    ],
  )
  const attributeRows = Object.entries(attributes).map(([name, meaning]) => [`\`${name}\``, meaning])
  return [
    '### Spans',
    table(['Name', 'Kind', 'From', 'When', 'Attributes'], spanRows),
    '### Metrics',
    table(['Name', 'Type', 'Unit', 'From', 'Meaning', 'Attributes'], metricRows),
    '### Attributes',
    table(['Name', 'Meaning'], attributeRows),
  ].join('\n\n')
}

const rate = (metric: string, by: string) => `sum by (${by}) (rate(${metric}[$__rate_interval]))`
const quantile = (share: number, metric: string, by = '') =>
  `histogram_quantile(${share}, sum by (le${by}) (rate(${metric}_bucket[$__rate_interval])))`

/** Panels of the dashboard: title, unit, and queries with their legends. */
const panels: readonly (readonly [
  title: string,
  unit: string,
  ...queries: (readonly [query: string, legend: string])[],
])[] = [
  ['Devices', 'short', ['sum by (farhand_device_state) (farhand_devices)', '{{farhand_device_state}}']],
  ['Sessions', 'short', ['sum by (farhand_session_kind) (farhand_sessions)', '{{farhand_session_kind}}']],
  ['Hub connections', 'short', ['sum by (farhand_hub) (farhand_hub_connections)', '{{farhand_hub}}']],
  [
    'Requests by status',
    'reqps',
    [rate('http_server_request_duration_seconds_count', 'http_response_status_code'), '{{http_response_status_code}}'],
  ],
  [
    'Duration of requests',
    's',
    [quantile(0.5, 'http_server_request_duration_seconds'), 'median'],
    [quantile(0.99, 'http_server_request_duration_seconds'), '99 %'],
  ],
  [
    'Slowest routes (99 %)',
    's',
    [`topk(5, ${quantile(0.99, 'http_server_request_duration_seconds', ', http_route')})`, '{{http_route}}'],
  ],
  ['Relay', 'Bps', [rate('farhand_relay_io_bytes_total', 'network_io_direction'), '{{network_io_direction}}']],
  [
    'Commits',
    'ops',
    [rate('farhand_database_commit_duration_seconds_count', 'farhand_database_kind'), '{{farhand_database_kind}}'],
  ],
  ['Duration of commits (99 %)', 's', [quantile(0.99, 'farhand_database_commit_duration_seconds'), '99 %']],
  ['Queues', 'short', ['sum by (farhand_queue) (farhand_queue_length)', '{{farhand_queue}}']],
  [
    'Refused sign-ins',
    'short',
    [
      'sum by (farhand_sign_in_kind) (increase(farhand_sign_in_refused_total[$__rate_interval]))',
      '{{farhand_sign_in_kind}}',
    ],
  ],
  ['Agents by version', 'short', ['sum by (farhand_agent_version) (farhand_agents)', '{{farhand_agent_version}}']],
  [
    'Delay of the event loop',
    's',
    ['nodejs_eventloop_delay_p50_seconds', 'median'],
    ['nodejs_eventloop_delay_p99_seconds', '99 %'],
  ],
  ['Memory', 'bytes', ['process_memory_usage_bytes', 'resident'], ['v8js_memory_heap_used_bytes', 'heap']],
  ['Processor', 'percentunit', [rate('process_cpu_time_seconds_total', 'cpu_mode'), '{{cpu_mode}}']],
]

const columns = 3
const size = { w: 24 / columns, h: 8 }

/** Dashboard for Grafana over the metrics that Prometheus reads. */
export function grafanaDashboard(): string {
  const datasource = { type: 'prometheus', uid: '${datasource}' }
  const dashboard = {
    title: 'Farhand',
    uid: 'farhand',
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }] },
    panels: panels.map(([title, unit, ...queries], index) => ({
      id: index + 1,
      title,
      type: 'timeseries',
      datasource,
      gridPos: { ...size, x: (index % columns) * size.w, y: Math.floor(index / columns) * size.h },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([expr, legendFormat], number) => ({
        refId: String.fromCharCode(65 + number),
        datasource,
        expr,
        legendFormat,
      })),
    })),
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}
