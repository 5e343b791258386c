import { ROOT_CONTEXT, SpanKind, context, propagation, trace, type Span } from '@opentelemetry/api'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { histogram, scopeName, type Labels } from '../../shared/telemetry/instruments.ts'
import { failSpan } from '../../shared/telemetry/spans.ts'
import type { RequestObserver } from '../http/web/app.ts'
import { isEncrypted, pathOf } from '../http/web/request.ts'

export type { RequestObserver }

/** Paths that are polled by machines; spans of those would hide all others. */
const untraced = /^\/(health|alive|metrics)/i

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT', 'TRACE'])

/** Files and pages are served by folder. Unknown paths get no route: a route from the path would be an endless label. */
const routeOfFile = (path: string): string | undefined =>
  /^\/(assets|downloads|reference)\//.exec(path)?.[0].concat('*') ?? undefined

interface Running {
  span: Span | undefined
  route: string | undefined
}

/** A span and a duration for each request, named after its declared route. */
export function requestObserver(): RequestObserver {
  const running = new WeakMap<IncomingMessage, Running>()
  const durations = histogram('http.server.request.duration')
  const end = (request: IncomingMessage, response: ServerResponse, startedAt: number, method: string) => {
    const { span, route } = running.get(request)!
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
    run(request, response, work) {
      const startedAt = performance.now()
      const path = pathOf(request)
      const method = methods.has(request.method ?? '') ? request.method! : '_OTHER'
      const parent = propagation.extract(ROOT_CONTEXT, request.headers)
      const span = untraced.test(path)
        ? undefined
        : trace.getTracer(scopeName).startSpan(method, { kind: SpanKind.SERVER }, parent)
      running.set(request, { span, route: routeOfFile(path) })
      response.once('close', () => end(request, response, startedAt, method))
      if (span) {
        context.with(trace.setSpan(parent, span), work)
      } else {
        work()
      }
    },
    matched(request, route) {
      const found = running.get(request)
      if (found) {
        found.route = route
      }
    },
  }
}
