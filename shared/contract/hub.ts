import type { z } from 'zod'
import type { HubAccess, Permitted, Resources } from '../access.ts'
import { received, unpaced, upload, type Calling, type StreamPace } from './hub-streams.ts'

/** A method that clients invoke. `streams` returns a stream, `upload` sends a stream along. */
export interface HubMethodDefinition {
  /** Description for readers of `docs/hubs.md`. */
  summary: string
  access: HubAccess
  args: readonly z.ZodType[]
  /** Members of the only argument that older clients send as separate arguments, in this order. */
  positional?: readonly string[]
  returns?: z.ZodType
  streams?: z.ZodType
  upload?: z.ZodType
  /** Result for a client without the required right; if undefined, the call fails. */
  refused?: unknown
}

/** A method that the server invokes on a client; with `returns` the server may wait for the result. */
export interface HubClientMethodDefinition {
  /** Description of the client's reaction. */
  summary: string
  args: readonly z.ZodType[]
  returns?: z.ZodType
}

export interface HubDefinition<
  M extends Record<string, HubMethodDefinition> = Record<string, HubMethodDefinition>,
  C extends Record<string, HubClientMethodDefinition> = Record<string, HubClientMethodDefinition>,
> {
  path: `/${string}`
  /** Access required to connect. */
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

/** An argument that is not a DTO, under its name in the documents. The wire uses only its position. */
export const argument = <T extends z.ZodType>(name: string, schema: T): T => schema.meta({ title: name })

type ArgsIn<A extends readonly z.ZodType[]> = { -readonly [K in keyof A]: z.input<A[K]> }
type ArgsOut<A extends readonly z.ZodType[]> = { -readonly [K in keyof A]: z.output<A[K]> }
type ResultIn<D> = D extends { returns: infer R extends z.ZodType } ? z.input<R> : void
type ResultOut<D> = D extends { returns: infer R extends z.ZodType } ? z.output<R> : void
/** Items of a stream of `bytes` are decoded. */
type ItemOut<U extends z.ZodType> = Uint8Array extends z.input<U> ? Uint8Array : z.output<U>
type Upload<D> = D extends { upload: infer U extends z.ZodType } ? AsyncIterable<ItemOut<U>> : undefined

type HandlerResult<D> = D extends { streams: infer S extends z.ZodType }
  ? AsyncIterable<z.input<S>> | Promise<AsyncIterable<z.input<S>>>
  : ResultIn<D> | Promise<ResultIn<D>>

/** A handler per method: `(call, ...args)`. `Call` is common to all methods, `T` holds the things named by accesses. */
export type HubHandlers<H extends HubDefinition, Call, T extends Resources> = {
  [K in keyof H['methods']]: (
    call: Call & { upload: Upload<H['methods'][K]> } & Permitted<H['methods'][K]['access'], T>,
    ...args: ArgsOut<H['methods'][K]['args']>
  ) => HandlerResult<H['methods'][K]>
}

/** Methods of one client, invoked without waiting for a result. */
export type HubClientSender<H extends HubDefinition> = {
  [K in keyof H['client']]: (...args: ArgsIn<H['client'][K]['args']>) => Promise<void>
}

/** Methods of one client with a result; rejects when the client disconnects or exceeds the time limit. */
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

/** Server methods that a connected client calls: results, server streams, and upload streams. */
export type HubServerMethods<H extends HubDefinition> = {
  [K in keyof H['methods']]: ClientMethod<H['methods'][K]>
}

/** Methods that a connected client implements for the server. */
export type HubClientHandlers<H extends HubDefinition> = {
  [K in keyof H['client']]: (
    ...args: ArgsOut<H['client'][K]['args']>
  ) => ResultIn<H['client'][K]> | Promise<ResultIn<H['client'][K]>>
}

/** Typed calls over a connection of the official SignalR client, whose streams have back-pressure. */
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

/** Methods of the official client's connection that handlers use. */
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
