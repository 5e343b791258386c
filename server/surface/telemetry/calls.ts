import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api'
import { inSpan, tracer } from '../../../shared/telemetry/spans.ts'
import { agentHub } from '../../../shared/hubs/agent-hub.ts'
import type { CallObserver } from '../bind.ts'

export type { CallObserver }

/** Reports that every device repeats: they would outnumber all other spans. */
const heartbeats = new Set(['UpdateDevice', 'UpdateDeviceSigned'])

const serviceOf = (path: string) => (path === agentHub.path ? 'AgentHub' : 'ViewerHub')

const attributesOf = (hub: string, method: string) => ({
  'rpc.system': 'signalr',
  'rpc.service': serviceOf(hub),
  'rpc.method': method,
})

/** A span of its own for each other call: the request under a long-lived connection is no parent. */
export const callObserver: CallObserver = {
  run(hub, method, work) {
    const options = { kind: SpanKind.SERVER, attributes: attributesOf(hub, method), parent: ROOT_CONTEXT }
    return heartbeats.has(method) ? work() : inSpan(`${serviceOf(hub)}/${method}`, options, work)
  },
  refused(hub, method) {
    const attributes = { ...attributesOf(hub, method), 'farhand.refused': true }
    tracer()
      .startSpan(`${serviceOf(hub)}/${method}`, { kind: SpanKind.SERVER, attributes }, ROOT_CONTEXT)
      .end()
  },
}
