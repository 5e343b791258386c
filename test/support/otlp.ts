import protobuf from 'protobufjs'

/** Members of OTLP that tests read, with the field numbers of opentelemetry-proto 1.x. */
const source = `syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; KeyValueList kvlist_value = 6; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; }
message Scope { string name = 1; }
message TraceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
message Span { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; int32 kind = 6; fixed64 start = 7; fixed64 end = 8; repeated KeyValue attributes = 9; Status status = 15; }
message Status { int32 code = 3; }
message MetricsRequest { repeated ResourceMetrics resource_metrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; }
message Metric { string name = 1; string description = 2; string unit = 3; oneof data { Points gauge = 5; Points sum = 7; Histogram histogram = 9; } }
message Points { repeated Point data_points = 1; }
message Point { repeated KeyValue attributes = 7; double as_double = 4; sfixed64 as_int = 6; }
message Histogram { repeated HistogramPoint data_points = 1; }
message HistogramPoint { fixed64 count = 4; double sum = 5; repeated KeyValue attributes = 9; }
message LogsRequest { repeated ResourceLogs resource_logs = 1; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; }
message ScopeLogs { Scope scope = 1; repeated LogRecord log_records = 2; }
message LogRecord { int32 severity_number = 2; string severity_text = 3; AnyValue body = 5; repeated KeyValue attributes = 6; bytes trace_id = 9; bytes span_id = 10; }`

const { root } = protobuf.parse(source)
const decode = (type: string, bytes: Uint8Array) =>
  root.lookupType(type).toObject(root.lookupType(type).decode(bytes), { longs: Number, bytes: Buffer, defaults: false })

type Value = Record<string, unknown>
interface KeyValue {
  key: string
  value: Value
}

function plain(value: Value = {}): unknown {
  const [first] = Object.values(value)
  if ('kvlistValue' in value) {
    return attributesOf((first as { values?: KeyValue[] }).values)
  }
  return 'arrayValue' in value ? ((first as { values?: Value[] }).values ?? []).map(plain) : first
}

const attributesOf = (pairs: KeyValue[] = []): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]))

type Attributes = Record<string, unknown>
const hex = (bytes: Buffer | undefined) => bytes?.toString('hex') ?? ''

export interface ReceivedSpan {
  scope: string
  name: string
  kind: number
  traceId: string
  spanId: string
  parentId: string
  attributes: Attributes
  /** State of the trace, as the caller sent it. */
  state: string
  isError: boolean
  /** ms since 1970. */
  startedAt: number
  seconds: number
}
export interface ReceivedPoint {
  metric: string
  unit: string
  attributes: Attributes
  value: number
  count: number
}
export interface ReceivedLog {
  severity: string
  severityNumber: number
  body: unknown
  traceId: string
  attributes: Attributes
}

/* The decoded messages are trees of optional members: typed as any here, and narrowed by the interfaces above. */
// oxlint-disable typescript/no-explicit-any
export const readSpans = (bytes: Uint8Array): { resource: Attributes; spans: ReceivedSpan[] }[] =>
  ((decode('TraceRequest', bytes) as any).resourceSpans ?? []).map((group: any) => ({
    resource: attributesOf(group.resource?.attributes),
    spans: group.scopeSpans.flatMap(({ scope, spans }: any) =>
      spans.map((span: any) => ({
        scope: scope?.name,
        name: span.name,
        kind: span.kind ?? 0,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentId: hex(span.parentSpanId),
        attributes: attributesOf(span.attributes),
        state: span.traceState ?? '',
        isError: span.status?.code === 2,
        startedAt: span.start / 1e6,
        seconds: (span.end - span.start) / 1e9,
      })),
    ),
  }))

export const readPoints = (bytes: Uint8Array): { resource: Attributes; points: ReceivedPoint[] }[] =>
  ((decode('MetricsRequest', bytes) as any).resourceMetrics ?? []).map((group: any) => ({
    resource: attributesOf(group.resource?.attributes),
    points: (group.scopeMetrics ?? []).flatMap(({ metrics = [] }: any) =>
      metrics.flatMap((metric: any) =>
        ((metric.gauge ?? metric.sum ?? metric.histogram)?.dataPoints ?? []).map((point: any) => ({
          metric: metric.name,
          unit: metric.unit,
          attributes: attributesOf(point.attributes),
          value: point.asDouble ?? point.asInt ?? point.sum ?? 0,
          count: point.count ?? 0,
        })),
      ),
    ),
  }))

export const readLogs = (bytes: Uint8Array): { resource: Attributes; logs: ReceivedLog[] }[] =>
  ((decode('LogsRequest', bytes) as any).resourceLogs ?? []).map((group: any) => ({
    resource: attributesOf(group.resource?.attributes),
    logs: group.scopeLogs.flatMap(({ logRecords }: any) =>
      logRecords.map((record: any) => ({
        severity: record.severityText ?? '',
        severityNumber: record.severityNumber ?? 0,
        body: plain(record.body),
        traceId: hex(record.traceId),
        attributes: attributesOf(record.attributes),
      })),
    ),
  }))
// oxlint-enable typescript/no-explicit-any
