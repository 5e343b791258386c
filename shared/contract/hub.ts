import type { z } from 'zod'
import type { HubAccess, Permitted, Things } from '../access.ts'
import { received, unpaced, upload, type Calling, type StreamPace } from './hub-streams.ts'

/** A method that clients invoke. `streams` answers with a stream, `upload` takes one along. */
export interface HubMethodDefinition {
  /** What it does, for readers of `docs/hubs.md`. */
  summary: string
  access: HubAccess
  args: readonly z.ZodType[]
  /** Members of its only argument that older clients send as arguments of their own, in this order. */
  positional?: readonly string[]
  returns?: z.ZodType
  streams?: z.ZodType
  upload?: z.ZodType
  /** What a client without the right is answered; without it the call fails. */
  refused?: unknown
}

/** A method that the server invokes on a client; with `returns` the server may wait for the answer. */
export interface HubClientMethodDefinition {
  /** What the client does with it. */
  summary: string
  args: readonly z.ZodType[]
  returns?: z.ZodType
}

export interface HubDefinition<
  M extends Record<string, HubMethodDefinition> = Record<string, HubMethodDefinition>,
  C extends Record<string, HubClientMethodDefinition> = Record<string, HubClientMethodDefinition>,
> {
  path: `/${string}`
  /** What the connection itself asks for. */
  access: 'anonymous' | 'authenticated'
  methods: M
  client: C
}

export const defineHub = <
  const M extends Record<string, HubMethodDefinition>,
  const C extends Record<string, HubClientMethodDefinition>,
>(
  hub: HubDefinition<M, C>,
): HubDefinition<M, C> => hub

/** An argument that is no DTO, under the name that the documents give it. On the wire only its position counts. */
export const argument = <T extends z.ZodType>(name: string, schema: T): T => schema.meta({ title: name })

type ArgsIn<A extends readonly z.ZodType[]> = { -readonly [K in keyof A]: z.input<A[K]> }
type ArgsOut<A extends readonly z.ZodType[]> = { -readonly [K in keyof A]: z.output<A[K]> }
type ResultIn<D> = D extends { returns: infer R extends z.ZodType } ? z.input<R> : void
type ResultOut<D> = D extends { returns: infer R extends z.ZodType } ? z.output<R> : void
type Upload<D> = D extends { upload: infer U extends z.ZodType } ? AsyncIterable<z.output<U>> : undefined

type HandlerResult<D> = D extends { streams: infer S extends z.ZodType }
  ? AsyncIterable<z.input<S>> | Promise<AsyncIterable<z.input<S>>>
  : ResultIn<D> | Promise<ResultIn<D>>

/** A handler per method: `(call, ...args)`; `Call` is what the server hands to all of them, `T` what accesses name. */
export type HubHandlers<H extends HubDefinition, Call, T extends Things> = {
  [K in keyof H['methods']]: (
    call: Call & { upload: Upload<H['methods'][K]> } & Permitted<H['methods'][K]['access'], T>,
    ...args: ArgsOut<H['methods'][K]['args']>
  ) => HandlerResult<H['methods'][K]>
}

/** Methods of one client, fire and forget. */
export type HubClientSender<H extends HubDefinition> = {
  [K in keyof H['client']]: (...args: ArgsIn<H['client'][K]['args']>) => Promise<void>
}

/** Methods of one client whose answer is awaited; rejects when the client is gone or does not answer in time. */
export type HubClientInvoker<H extends HubDefinition> = {
  [K in keyof H['client'] as H['client'][K] extends { returns: z.ZodType } ? K : never]: (
    ...args: ArgsIn<H['client'][K]['args']>
  ) => Promise<ResultOut<H['client'][K]>>
}

type ClientMethod<D extends HubMethodDefinition> = D extends { streams: infer S extends z.ZodType }
  ? (...args: ArgsIn<D['args']>) => AsyncIterable<z.output<S>>
  : D extends { upload: infer U extends z.ZodType }
    ? (...args: [...ArgsIn<D['args']>, items: AsyncIterable<z.input<U>>]) => Promise<void>
    : (...args: ArgsIn<D['args']>) => Promise<ResultOut<D>>

/** What a connected client calls on the server: results, streams of the server, and streams that it sends along. */
export type HubServerMethods<H extends HubDefinition> = {
  [K in keyof H['methods']]: ClientMethod<H['methods'][K]>
}

/** What a connected client implements for the server. */
export type HubClientHandlers<H extends HubDefinition> = {
  [K in keyof H['client']]: (
    ...args: ArgsOut<H['client'][K]['args']>
  ) => ResultIn<H['client'][K]> | Promise<ResultIn<H['client'][K]>>
}

/** Typed calls over a connection of the official SignalR client, whose streams keep to its pace. */
export function hubMethods<H extends HubDefinition>(
  hub: H,
  connection: Calling,
  pace: StreamPace = unpaced,
): HubServerMethods<H> {
  const call = (name: string, { streams, upload: sent, returns }: HubMethodDefinition) => {
    if (streams) {
      return (...args: unknown[]) => received(connection, pace, name, args)
    }
    return sent
      ? (...args: unknown[]) => {
          const items = args.at(-1) as AsyncIterable<unknown>
          return upload(connection, pace, { name, args: args.slice(0, -1), items, isAnswered: returns !== undefined })
        }
      : (...args: unknown[]) => connection.invoke(name, ...args)
  }
  const entries = Object.entries(hub.methods).map(([name, method]) => [name, call(name, method)])
  return Object.fromEntries(entries) as HubServerMethods<H>
}

/** The part of the official client's connection that handlers need. */
interface Listening {
  on(method: string, handler: (...args: unknown[]) => unknown): void
}

/** Registers typed handlers on a connection; arguments are checked by the declaration's schemas first. */
export function handleHub<H extends HubDefinition>(
  hub: H,
  connection: Listening,
  handlers: Partial<HubClientHandlers<H>>,
): void {
  for (const [name, handler] of Object.entries(handlers)) {
    const { args: schemas } = hub.client[name]!
    connection.on(name, (...args) =>
      (handler as (...args: unknown[]) => unknown)(...schemas.map((schema, index) => schema.parse(args[index]))),
    )
  }
}
