import type { z } from 'zod'
import type { HubAccess, Permitted, Things } from '../access.ts'

/** A method that clients invoke. `streams` answers with a stream, `upload` takes one along. */
export interface HubMethodDefinition {
  /** What it does, for readers of `docs/hubs.md`. */
  summary: string
  access: HubAccess
  args: readonly z.ZodType[]
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

/** What a connected client calls on the server. */
export type HubServerMethods<H extends HubDefinition> = {
  [K in keyof H['methods'] as H['methods'][K] extends { streams: z.ZodType } | { upload: z.ZodType } ? never : K]: (
    ...args: ArgsIn<H['methods'][K]['args']>
  ) => Promise<ResultOut<H['methods'][K]>>
}

/** What a connected client implements for the server. */
export type HubClientHandlers<H extends HubDefinition> = {
  [K in keyof H['client']]: (
    ...args: ArgsOut<H['client'][K]['args']>
  ) => ResultIn<H['client'][K]> | Promise<ResultIn<H['client'][K]>>
}

/** The part of the official client's connection that the typed wrapper needs. */
interface Connection {
  invoke(method: string, ...args: unknown[]): Promise<unknown>
  on(method: string, handler: (...args: unknown[]) => unknown): void
}

/** Typed calls over a connection of the official SignalR client. */
export function hubMethods<H extends HubDefinition>(hub: H, connection: Connection): HubServerMethods<H> {
  const call = (name: string) => [name, (...args: unknown[]) => connection.invoke(name, ...args)]
  return Object.fromEntries(Object.keys(hub.methods).map(call)) as HubServerMethods<H>
}

/** Registers typed handlers on a connection; arguments are checked by the declaration's schemas first. */
export function handleHub<H extends HubDefinition>(
  hub: H,
  connection: Connection,
  handlers: Partial<HubClientHandlers<H>>,
): void {
  for (const [name, handler] of Object.entries(handlers)) {
    const { args: schemas } = hub.client[name]!
    connection.on(name, (...args) =>
      (handler as (...args: unknown[]) => unknown)(...schemas.map((schema, index) => schema.parse(args[index]))),
    )
  }
}
