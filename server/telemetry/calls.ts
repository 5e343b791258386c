import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { scopeName } from '../../shared/telemetry/instruments.ts'
import { inSpan } from '../../shared/telemetry/spans.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import type { CallObserver } from '../hubs/bind.ts'

export type { CallObserver }

/** Reports that every device repeats. */
const heartbeats = new Set(['UpdateDevice', 'UpdateDeviceSigned'])

const nameOf = (path: string) => (path === agentHub.path ? 'AgentHub' : 'ViewerHub')

const optionsOf = (hub: string, method: string) => ({
  kind: SpanKind.SERVER,
  attributes: { 'rpc.system': 'signalr', 'rpc.service': nameOf(hub), 'rpc.method': method },
})

/** A span of its own for each call: the request under a long-lived connection is no parent. */
export function callObserver(traceHeartbeats: boolean): CallObserver {
  const isTraced = (method: string) => traceHeartbeats || !heartbeats.has(method)
  return {
    run: (hub, method, work) =>
      isTraced(method)
        ? inSpan(`${nameOf(hub)}/${method}`, { ...optionsOf(hub, method), parent: ROOT_CONTEXT }, work)
        : work(),
    refused(hub, method) {
      const { kind, attributes } = optionsOf(hub, method)
      trace
        .getTracer(scopeName)
        .startSpan(
          `${nameOf(hub)}/${method}`,
          { kind, attributes: { ...attributes, 'farhand.refused': true } },
          ROOT_CONTEXT,
        )
        .end()
    },
  }
}
