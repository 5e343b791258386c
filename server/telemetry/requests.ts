import { ROOT_CONTEXT, SpanKind, context, propagation, trace, type Span } from '@opentelemetry/api'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { histogram, scopeName, type Labels } from '../../shared/telemetry/instruments.ts'
import { failSpan } from '../../shared/telemetry/spans.ts'
import type { RequestObserver } from '../http/web/app.ts'
import { isEncrypted, pathOf } from '../http/web/request.ts'
import { SpanBudget } from './span-budget.ts'

export type { RequestObserver }

/** Paths that are polled by machines; spans of those would hide all others. */
const untraced = /^\/(health|alive|metrics)/i

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT', 'TRACE'])

/** Files and pages are served by folder. Unknown paths get no route: a route from the path would be an endless label. */
const routeOfFile = (path: string): string | undefined =>
  /^\/(assets|downloads|reference)\//.exec(path)?.[0].concat('*') ?? undefined

/** State of a running request, kept on the request: entries of a WeakMap cost more, most of it in garbage collection. */
const state = Symbol('telemetry')

interface Observed extends IncomingMessage {
  [state]?: { span: Span | undefined; route: string | undefined }
}

/**
 * A duration for each request and a span for each within the budget, named after its declared route. An explicit sampler
 * of the environment replaces the budget.
 */
export function requestObserver(hasSampler: boolean): RequestObserver {
  const budget = new SpanBudget(hasSampler ? Infinity : undefined)
  const tracer = trace.getTracer(scopeName)
  const durations = histogram('http.server.request.duration')
  const end = (request: Observed, response: ServerResponse, startedAt: number, method: string) => {
    const { span, route = routeOfFile(pathOf(request)) } = request[state]!
    const isAnswered = response.writableFinished
    const status = response.statusCode
    const error = isAnswered ? (status >= 500 ? String(status) : undefined) : 'disconnected'
    const labels: Labels = {
      'http.request.method': method,
      'url.scheme': isEncrypted(request) ? 'https' : 'http',
      ...(route !== undefined && { 'http.route': route }),
      ...(isAnswered && { 'http.response.status_code': status }),
    }
    durations.record(
      (performance.now() - startedAt) / 1000,
      error === undefined ? labels : { ...labels, 'error.type': error },
    )
    if (span) {
      if (route !== undefined) {
        span.updateName(`${method} ${route}`)
      }
      span.setAttributes(labels)
      if (error !== undefined) {
        failSpan(span, error)
      }
      span.end()
    }
  }
  return {
    run(request: Observed, response, work) {
      const startedAt = performance.now()
      const path = pathOf(request)
      const method = methods.has(request.method ?? '') ? request.method! : '_OTHER'
      response.once('close', () => end(request, response, startedAt, method))
      if (untraced.test(path) || !budget.take(startedAt)) {
        request[state] = { span: undefined, route: undefined }
        work()
        return
      }
      const parent = propagation.extract(ROOT_CONTEXT, request.headers)
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, parent)
      request[state] = { span, route: undefined }
      context.with(trace.setSpan(parent, span), work)
    },
    matched(request: Observed, route) {
      if (request[state]) {
        request[state].route = route
      }
    },
  }
}
