import { SpanKind, context, propagation, trace, type Span } from '@opentelemetry/api'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { core } from '@opentelemetry/sdk-node'
import { histogram, type Labels } from './instruments.ts'
import { errorType, failSpan, tracer } from './spans.ts'

interface Target {
  method: string
  url: URL
  setHeader(name: string, value: string): void
}

interface Running {
  span: Span
  startedAt: number
  labels: Labels
  status?: number
}

const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === 'https:' ? 443 : 80)

/** Records a span and a duration for each request. Neither path nor query is recorded. */
class OutboundRequests {
  readonly #durations = histogram('http.client.request.duration')
  readonly #running = new WeakMap<object, Running>()

  /** Returns whether the request is recorded: exports of telemetry are not. */
  begin(request: object, { method, url, setHeader }: Target): boolean {
    const active = context.active()
    if (core.isTracingSuppressed(active)) {
      return false
    }
    const labels = { 'http.request.method': method, 'server.address': url.hostname, 'server.port': portOf(url) }
    const span = tracer().startSpan(method, { kind: SpanKind.CLIENT, attributes: labels }, active)
    this.#running.set(request, { span, startedAt: performance.now(), labels })
    propagation.inject(trace.setSpan(active, span), setHeader, { set: (set, name, value) => set(name, value) })
    return true
  }

  answered(request: object, status: number): void {
    const found = this.#running.get(request)
    if (found) {
      found.status = status
    }
  }

  end(request: object, problem?: Error): void {
    const found = this.#running.get(request)
    if (!found) {
      return
    }
    this.#running.delete(request)
    const { span, startedAt, labels, status } = found
    const error = problem ? errorType(problem) : (status ?? 0) >= 400 ? String(status) : undefined
    const result = { ...(status && { 'http.response.status_code': status }), ...(error && { 'error.type': error }) }
    this.#durations.record((performance.now() - startedAt) / 1000, { ...labels, ...result })
    span.setAttributes(result)
    if (error !== undefined) {
      failSpan(span, error)
    }
    span.end()
  }
}

/** The part of a request of `fetch` that its diagnostics channels pass on. */
interface FetchRequest {
  method: string
  origin: string | URL
  addHeader(name: string, value: string): void
}

type Listeners = Record<string, (message: never) => void>

const fetchListeners = (requests: OutboundRequests): Listeners => ({
  'undici:request:create'({ request }: { request: FetchRequest }) {
    const setHeader = (name: string, value: string) => request.addHeader(name, value)
    requests.begin(request, { method: request.method, url: new URL(request.origin), setHeader })
  },
  'undici:request:headers': ({ request, response }: { request: object; response: { statusCode: number } }) =>
    requests.answered(request, response.statusCode),
  'undici:request:trailers': ({ request }: { request: object }) => requests.end(request),
  'undici:request:error': ({ request, error }: { request: object; error: Error }) => requests.end(request, error),
})

function originOf(request: ClientRequest): URL {
  const host = request.getHeader('host')
  const text = `${request.protocol}//${typeof host === 'string' ? host : request.host}`
  return new URL(URL.canParse(text) ? text : `${request.protocol}//unknown`)
}

/** Requests of `node:http` and `node:https`; an upgrade to a WebSocket ends its request. */
const httpListeners = (requests: OutboundRequests): Listeners => ({
  'http.client.request.created'({ request }: { request: ClientRequest }) {
    const setHeader = (name: string, value: string) => {
      if (!request.headersSent) {
        request.setHeader(name, value)
      }
    }
    if (requests.begin(request, { method: request.method, url: originOf(request), setHeader })) {
      request.once('close', () => requests.end(request))
    }
  },
  'http.client.response.finish': ({ request, response }: { request: ClientRequest; response: IncomingMessage }) =>
    requests.answered(request, response.statusCode ?? 0),
  'http.client.request.error': ({ request, error }: { request: ClientRequest; error: Error }) =>
    requests.end(request, error),
})

/**
 * Records the requests of `fetch` and `node:http` by Node's own diagnostics channels: no module is replaced, so nothing
 * has to be loaded first. Returns a function that stops it.
 */
export function watchOutbound(): () => void {
  const requests = new OutboundRequests()
  const listeners = Object.entries({ ...fetchListeners(requests), ...httpListeners(requests) })
  for (const [channel, listener] of listeners) {
    subscribe(channel, listener as (message: unknown) => void)
  }
  return () => {
    for (const [channel, listener] of listeners) {
      unsubscribe(channel, listener as (message: unknown) => void)
    }
  }
}
