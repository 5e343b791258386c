import { SpanKind, SpanStatusCode, context, propagation, trace, type Span } from '@opentelemetry/api'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { histogram, scopeName, type Labels } from './instruments.ts'
import { core } from '@opentelemetry/sdk-node'

/** The part of a request of `fetch` that its diagnostics channels pass on. */
interface FetchRequest {
  method: string
  origin: string | URL
  addHeader(name: string, value: string): void
}
interface Running {
  span: Span
  startedAt: number
  labels: Labels
  status?: number
}

const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === 'https:' ? 443 : 80)

/**
 * Records a span and a duration for each request that `fetch` makes, by Node's own diagnostics channels: no module is
 * replaced, so nothing has to be loaded first. Neither path nor query is recorded. Returns a function that stops it.
 */
export function watchFetch(): () => void {
  const durations = histogram('http.client.request.duration')
  const running = new WeakMap<object, Running>()
  const end = (request: object, problem?: Error & { code?: string }) => {
    const found = running.get(request)
    if (!found) {
      return
    }
    running.delete(request)
    const { span, startedAt, labels, status } = found
    const error = problem ? (problem.code ?? problem.name) : (status ?? 0) >= 400 ? String(status) : undefined
    const result = { ...(status && { 'http.response.status_code': status }), ...(error && { 'error.type': error }) }
    durations.record((performance.now() - startedAt) / 1000, { ...labels, ...result })
    span.setAttributes(result)
    if (error !== undefined) {
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
    span.end()
  }
  const listeners: Record<string, (message: unknown) => void> = {
    'undici:request:create'(message) {
      const { request } = message as { request: FetchRequest }
      const active = context.active()
      if (core.isTracingSuppressed(active)) {
        return
      }
      const url = new URL(request.origin)
      const labels = {
        'http.request.method': request.method,
        'server.address': url.hostname,
        'server.port': portOf(url),
      }
      const span = trace
        .getTracer(scopeName)
        .startSpan(request.method, { kind: SpanKind.CLIENT, attributes: labels }, active)
      running.set(request, { span, startedAt: performance.now(), labels })
      propagation.inject(trace.setSpan(active, span), request, {
        set: (carrier, name, value) => carrier.addHeader(name, value),
      })
    },
    'undici:request:headers'(message) {
      const { request, response } = message as { request: object; response: { statusCode: number } }
      const found = running.get(request)
      if (found) {
        found.status = response.statusCode
      }
    },
    'undici:request:trailers': (message) => end((message as { request: object }).request),
    'undici:request:error'(message) {
      const { request, error } = message as { request: object; error: Error }
      end(request, error)
    },
  }
  for (const [channel, listener] of Object.entries(listeners)) {
    subscribe(channel, listener)
  }
  return () => {
    for (const [channel, listener] of Object.entries(listeners)) {
      unsubscribe(channel, listener)
    }
  }
}
