import { SpanStatusCode, context, trace, type Context, type Span, type SpanKind } from '@opentelemetry/api'
import { scopeName, type Labels } from './instruments.ts'

export interface SpanOptions {
  kind?: SpanKind
  attributes?: Labels
  /** The active context by default. */
  parent?: Context
}

export const tracer = () => trace.getTracer(scopeName)

/** Code of a system error, or the class of any other. Messages may quote input, so they are not recorded. */
export const errorType = (error: unknown): string =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.name) : 'Error'

export function failSpan(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Runs work within a span of its own, which ends with the work. */
export const inSpan = <T>(
  name: string,
  { parent = context.active(), ...options }: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> =>
  tracer().startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      failSpan(span, errorType(error))
      throw error
    } finally {
      span.end()
    }
  })
