import { ROOT_CONTEXT, TraceFlags, context, propagation, trace } from '@opentelemetry/api'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LightSpan, SpanOnTop, type SpanShape } from '../../shared/telemetry/light-spans.ts'
import type { DurationSeries, RequestDurations } from '../../shared/telemetry/request-durations.ts'
import type { Sdk } from '../../shared/telemetry/sdk.ts'
import type { RequestObserver } from '../http/web/app.ts'
import { isEncrypted, pathOf } from '../http/web/request.ts'

export type { RequestObserver }

/** Paths that are polled by machines; spans of those would hide all others. */
const untraced = /^\/(health|alive|metrics)/i

const methods = ['_OTHER', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT', 'TRACE']
const methodNumbers = new Map(methods.map((method, index) => [method, index]))

/** Files and pages are served by folder. Unknown paths get no route: a route from the path would be an endless label. */
const routeOfFile = (path: string): string | undefined =>
  /^\/(assets|downloads|reference)\//.exec(path)?.[0].concat('*') ?? undefined

/** Status of a request whose client disconnected before its answer was complete. */
const disconnected = 0

interface RequestShape extends SpanShape {
  readonly durations: DurationSeries
}

function shapeOf(method: string, route: string | undefined, status: number, isTls: boolean): SpanShape {
  const error = status === disconnected ? 'disconnected' : status >= 500 ? String(status) : undefined
  return {
    name: route === undefined ? method : `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      'url.scheme': isTls ? 'https' : 'http',
      ...(route !== undefined && { 'http.route': route }),
      ...(status !== disconnected && { 'http.response.status_code': status }),
      ...(error !== undefined && { 'error.type': error }),
    },
    isError: error !== undefined,
  }
}

/** Requests of a route with one method and outcome share name and attributes; there are at most some thousand of these. */
class RequestShapes {
  readonly #durations: RequestDurations
  readonly #ofRoutes = new Map<string | undefined, Map<number, RequestShape>>()

  constructor(durations: RequestDurations) {
    this.#durations = durations
  }

  find(methodNumber: number, route: string | undefined, status: number, isTls: boolean): RequestShape {
    let shapes = this.#ofRoutes.get(route)
    if (!shapes) {
      this.#ofRoutes.set(route, (shapes = new Map()))
    }
    const key = (status * methods.length + methodNumber) * 2 + Number(isTls)
    let shape = shapes.get(key)
    if (!shape) {
      const spans = shapeOf(methods[methodNumber]!, route, status, isTls)
      shape = { ...spans, durations: this.#durations.series(spans.attributes) }
      shapes.set(key, shape)
    }
    return shape
  }
}

interface Running {
  /** ms of the clock, and of the monotonic clock. */
  readonly startedAt: number
  readonly startMark: number
  readonly span: LightSpan | undefined
  route: string | undefined
}

/** State of a running request, kept on the request: entries of a WeakMap cost more, most of it in garbage collection. */
const state = Symbol('telemetry')

interface Observed extends IncomingMessage {
  [state]?: Running
}

/** A duration for each request, and a span for each that the sampler takes, named after its declared route. */
export function requestObserver({ sampling, durations, exportRequest }: Sdk): RequestObserver {
  const shapes = new RequestShapes(durations)
  function end(this: ServerResponse) {
    const request: Observed = this.req
    const { startedAt, startMark, span, route = routeOfFile(pathOf(request)) } = request[state]!
    const status = this.writableFinished ? this.statusCode : disconnected
    const shape = shapes.find(methodNumbers.get(request.method ?? '') ?? 0, route, status, isEncrypted(request))
    const ms = performance.now() - startMark
    shape.durations.record(ms / 1000)
    if (span?.traceFlags === TraceFlags.SAMPLED) {
      exportRequest(shape, span, startedAt, startedAt + ms)
    }
  }
  return {
    run(request: Observed, response, work) {
      const startedAt = Date.now()
      const startMark = performance.now()
      response.on('close', end)
      if (untraced.test(pathOf(request))) {
        request[state] = { startedAt, startMark, span: undefined, route: undefined }
        work()
        return
      }
      const parent = propagation.extract(ROOT_CONTEXT, request.headers)
      const span = new LightSpan(trace.getSpanContext(parent))
      span.traceFlags = sampling.decide(parent, span, request.method ?? '')
      request[state] = { startedAt, startMark, span, route: undefined }
      context.with(new SpanOnTop(parent, span), work)
    },
    matched(request: Observed, route) {
      if (request[state]) {
        request[state].route = route
      }
    },
  }
}
