import { SamplingDecision, SpanKind, TraceFlags, type Context } from '@opentelemetry/api'
import { tracing } from '@opentelemetry/sdk-node'
import type { Environment } from './config.ts'

/** Which traces are recorded; the same for spans of the SDK and of requests. */
export interface Sampling {
  readonly sampler: tracing.Sampler
  /** Decides about the span of a request. */
  decide(parent: Context, span: { readonly traceId: string }, name: string): TraceFlags
}

const roots: Readonly<Record<string, (ratio: number) => tracing.Sampler>> = {
  always_on: () => new tracing.AlwaysOnSampler(),
  always_off: () => new tracing.AlwaysOffSampler(),
  traceidratio: (ratio) => new tracing.TraceIdRatioBasedSampler(ratio),
}

function ratioOf(env: Environment): number {
  const ratio = Number(env['OTEL_TRACES_SAMPLER_ARG']?.trim() || 1)
  return ratio >= 0 && ratio <= 1 ? ratio : 1
}

/** Reads the standard variables. An unknown sampler counts as none, as in the SDK. */
export function samplingOf(env: Environment): Sampling {
  const wanted = env['OTEL_TRACES_SAMPLER']?.trim() ?? ''
  const name = wanted.replace(/^parentbased_/, '')
  const root = roots[name]?.(ratioOf(env))
  const isRoot = root !== undefined && name === wanted
  const sampler = isRoot ? root : new tracing.ParentBasedSampler({ root: root ?? new tracing.AlwaysOnSampler() })
  // Only ratios read the trace id, which is made when it is read.
  const idOf = name === 'traceidratio' ? (span: { traceId: string }) => span.traceId : () => ''
  return {
    sampler,
    decide: (parent, span, spanName) =>
      sampler.shouldSample(parent, idOf(span), spanName, SpanKind.SERVER, {}, []).decision ===
      SamplingDecision.RECORD_AND_SAMPLED
        ? TraceFlags.SAMPLED
        : TraceFlags.NONE,
  }
}
