import { ROOT_CONTEXT, SpanKind, TraceFlags, context, propagation, trace } from '@opentelemetry/api'
import type { Context, Span } from '@opentelemetry/api'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { histogram, scopeName } from '../../shared/telemetry/instruments.ts'
import { RequestSpan, type RequestShape } from '../../shared/telemetry/request-span.ts'
import type { Sdk } from '../../shared/telemetry/sdk.ts'
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

/** State of a running request, kept on the request: entries of a WeakMap cost more, most of it in garbage collection. */
const state = Symbol('telemetry')

interface Running {
  readonly span: RequestSpan | Span | undefined
  route: string | undefined
}

interface Observed extends IncomingMessage {
  [state]?: Running
}

/** Shapes of ended requests. Methods, routes, statuses and errors are of closed lists, so their number has a limit. */
class Shapes {
  readonly #shapes = new Map<string, RequestShape>()

  of(request: IncomingMessage, response: ServerResponse, route: string | undefined): RequestShape {
    const method = methods.has(request.method ?? '') ? request.method! : '_OTHER'
    const status = response.writableFinished ? response.statusCode : 0
    const isTls = isEncrypted(request)
    const key = `${method} ${status} ${isTls} ${route}`
    const found = this.#shapes.get(key)
    if (found) {
      return found
    }
    const error = status === 0 ? 'disconnected' : status >= 500 ? String(status) : undefined
    const labels = {
      'http.request.method': method,
      'url.scheme': isTls ? 'https' : 'http',
      ...(route !== undefined && { 'http.route': route }),
      ...(status > 0 && { 'http.response.status_code': status }),
      ...(error !== undefined && { 'error.type': error }),
    }
    const shape = { name: route === undefined ? method : `${method} ${route}`, labels, isError: error !== undefined }
    this.#shapes.set(key, shape)
    return shape
  }
}

function endSpan(span: Span, { name, labels }: RequestShape): void {
  span.updateName(name)
  span.setAttributes(labels)
  if (labels['error.type'] !== undefined) {
    failSpan(span, String(labels['error.type']))
  }
  span.end()
}

/** A span and a duration for each request, named after its declared route. */
export function requestObserver(sdk: Sdk, hasSampler: boolean): RequestObserver {
  const tracer = trace.getTracer(scopeName)
  const durations = histogram('http.server.request.duration')
  const shapes = new Shapes()
  /** Spans of the SDK follow the sampler of the environment, and callers that do not sample. */
  const startSpan = (method: string, parent: Context): RequestSpan | Span => {
    const caller = parent === ROOT_CONTEXT ? undefined : trace.getSpanContext(parent)
    const isPlain = caller === undefined || (caller.traceFlags === TraceFlags.SAMPLED && !caller.traceState)
    return isPlain && !hasSampler
      ? new RequestSpan(sdk.resource, parent)
      : tracer.startSpan(method, { kind: SpanKind.SERVER }, parent)
  }
  const end = (request: Observed, response: ServerResponse, startedAt: number) => {
    const { span, route = routeOfFile(pathOf(request)) } = request[state]!
    const endedAt = performance.now()
    const shape = shapes.of(request, response, route)
    durations.record((endedAt - startedAt) / 1000, shape.labels)
    if (span instanceof RequestSpan) {
      span.end(shape, endedAt)
      sdk.record(span)
    } else if (span) {
      endSpan(span, shape)
    }
  }
  return {
    run(request: Observed, response, work) {
      const startedAt = performance.now()
      response.once('close', () => end(request, response, startedAt))
      if (untraced.test(pathOf(request))) {
        request[state] = { span: undefined, route: undefined }
        work()
        return
      }
      const parent = propagation.extract(ROOT_CONTEXT, request.headers)
      const span = startSpan(request.method ?? '', parent)
      request[state] = { span, route: undefined }
      context.with(span instanceof RequestSpan ? span : trace.setSpan(parent, span), work)
    },
    matched(request: Observed, route) {
      if (request[state]) {
        request[state].route = route
      }
    },
  }
}
