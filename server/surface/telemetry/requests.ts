import { ROOT_CONTEXT, SpanKind, context, propagation, trace, type Span } from '@opentelemetry/api'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { histogram, type Labels } from '../../../shared/telemetry/instruments.ts'
import { failSpan, tracer } from '../../../shared/telemetry/spans.ts'
import type { RequestObserver } from '../../engines/http/web/app.ts'
import { isEncrypted, pathOf } from '../../engines/http/web/request.ts'

export type { RequestObserver }

/** Paths that are polled by machines; spans of those would hide all others. */
const untraced = /^\/(health|alive|metrics)/i

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT', 'TRACE'])

const methodOf = ({ method = '' }: IncomingMessage) => (methods.has(method) ? method : '_OTHER')

/** Files and pages are served by folder. Unknown paths get no route: a route from the path would be an endless label. */
const routeOfFile = (path: string): string | undefined =>
  /^\/(assets|downloads|reference)\//.exec(path)?.[0].concat('*')

/** Labels of an ended request. The status is missing if the client disconnected before its answer was complete. */
function labelsOf(request: IncomingMessage, { writableFinished, statusCode }: ServerResponse, route?: string): Labels {
  const error = !writableFinished ? 'disconnected' : statusCode >= 500 ? String(statusCode) : undefined
  return {
    'http.request.method': methodOf(request),
    'url.scheme': isEncrypted(request) ? 'https' : 'http',
    ...(route !== undefined && { 'http.route': route }),
    ...(writableFinished && { 'http.response.status_code': statusCode }),
    ...(error !== undefined && { 'error.type': error }),
  }
}

function endSpan(span: Span, labels: Labels): void {
  const { 'http.request.method': method, 'http.route': route, 'error.type': error } = labels
  span.setAttributes(labels)
  if (route !== undefined) {
    span.updateName(`${method} ${route}`)
  }
  if (error !== undefined) {
    failSpan(span, String(error))
  }
  span.end()
}

/** A duration for each request, and a span for each that the sampler takes, named after its declared route. */
export function requestObserver(): RequestObserver {
  const durations = histogram('http.server.request.duration')
  const routes = new WeakMap<IncomingMessage, string>()
  return {
    run(request, response, work) {
      const startedAt = performance.now()
      const path = pathOf(request)
      const parent = propagation.extract(ROOT_CONTEXT, request.headers)
      const span = untraced.test(path)
        ? undefined
        : tracer().startSpan(methodOf(request), { kind: SpanKind.SERVER }, parent)
      response.on('close', () => {
        const labels = labelsOf(request, response, routes.get(request) ?? routeOfFile(path))
        durations.record((performance.now() - startedAt) / 1000, labels)
        if (span) {
          endSpan(span, labels)
        }
      })
      context.with(span ? trace.setSpan(parent, span) : ROOT_CONTEXT, work)
    },
    matched: (request, route) => void routes.set(request, route),
  }
}
