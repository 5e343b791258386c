import {
  Server,
  ServerCredentials,
  status,
  type Metadata,
  type sendUnaryData,
  type ServerUnaryCall,
} from '@grpc/grpc-js'
import { onTestFinished } from 'vitest'
import { readLogs, readPoints, readSpans, type ReceivedLog, type ReceivedPoint, type ReceivedSpan } from './otlp.ts'

const signals = {
  trace: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
  metrics: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  logs: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
} as const

/** Starts a collector that stops with the test. */
export async function startCollector(): Promise<Collector> {
  const collector = new Collector()
  await collector.start()
  onTestFinished(() => collector.stop())
  return collector
}

/** A collector: a gRPC server with the three services of OTLP, that stores what arrives. */
export class Collector {
  readonly spans: ReceivedSpan[] = []
  readonly points: ReceivedPoint[] = []
  readonly logs: ReceivedLog[] = []
  readonly resources: Record<string, unknown>[] = []
  /** Values of the header `authorization` of the requests. */
  readonly authorizations = new Set<string>()
  /** Received requests as sent; texts are readable in them. */
  readonly bytes: Buffer[] = []
  /** `hang` never answers, `full` rejects. */
  mode: 'answer' | 'hang' | 'full' = 'answer'
  #server: Server | undefined
  #port = 0
  readonly #tls: { cert: string; key: string } | undefined

  /** @param tls Certificate and key; plain text without. */
  constructor(tls?: { cert: string; key: string }) {
    this.#tls = tls
  }

  get url(): string {
    return `${this.#tls ? 'https' : 'http'}://127.0.0.1:${this.#port}`
  }

  /** Starts, again on the same port. */
  async start(): Promise<void> {
    const server = new Server()
    server.addService(
      Object.fromEntries(
        Object.entries(signals).map(([name, path]) => [
          name,
          {
            path,
            requestStream: false,
            responseStream: false,
            requestSerialize: (bytes: Buffer) => bytes,
            requestDeserialize: (bytes: Buffer) => bytes,
            responseSerialize: (bytes: Buffer) => bytes,
            responseDeserialize: (bytes: Buffer) => bytes,
          },
        ]),
      ),
      {
        trace: this.#taking((bytes) => {
          for (const { resource, spans } of readSpans(bytes)) {
            this.resources.push(resource)
            this.spans.push(...spans)
          }
        }),
        metrics: this.#taking((bytes) => {
          for (const { resource, points } of readPoints(bytes)) {
            this.resources.push(resource)
            this.points.push(...points)
          }
        }),
        logs: this.#taking((bytes) => {
          for (const { resource, logs } of readLogs(bytes)) {
            this.resources.push(resource)
            this.logs.push(...logs)
          }
        }),
      },
    )
    const credentials = this.#tls
      ? ServerCredentials.createSsl(null, [
          { cert_chain: Buffer.from(this.#tls.cert), private_key: Buffer.from(this.#tls.key) },
        ])
      : ServerCredentials.createInsecure()
    this.#port = await new Promise<number>((resolve, reject) =>
      server.bindAsync(`127.0.0.1:${this.#port}`, credentials, (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    )
    this.#server = server
  }

  stop(): void {
    this.#server?.forceShutdown()
  }

  /** The last value of a metric with these attributes. */
  value(metric: string, attributes: Record<string, unknown> = {}): number | undefined {
    const fits = (point: ReceivedPoint) =>
      point.metric === metric && Object.entries(attributes).every(([name, value]) => point.attributes[name] === value)
    return this.points.findLast(fits)?.value
  }

  #taking(take: (bytes: Buffer) => void) {
    return (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => {
      const metadata: Metadata = call.metadata
      metadata.get('authorization').forEach((value) => this.authorizations.add(String(value)))
      if (this.mode === 'full') {
        answer({ code: status.RESOURCE_EXHAUSTED, details: 'full' })
      } else if (this.mode === 'answer') {
        this.bytes.push(call.request)
        take(call.request)
        answer(null, Buffer.alloc(0))
      }
    }
  }
}
