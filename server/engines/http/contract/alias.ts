import { z } from 'zod'
import type { FailureEncoding, Method, RouteDefinition, RouteInput, Routes } from '../../../../shared/contract/route.ts'
import { AppError } from '../../../ground/errors.ts'
import type { BoundGroup, Handler } from './router.ts'

type Input = RouteInput<RouteDefinition>

/** An older body, converted to the target's input. */
export interface BodyAdapter<To> {
  schema: z.ZodType
  adapt(body: unknown, params: Readonly<Record<string, unknown>>): To
}

/** An older response, converted from the target's result. */
interface ResponseAdapter {
  schema: z.ZodType
  adapt(result: unknown): unknown
}

export const bodyAdapter = <S extends z.ZodType, To>(
  schema: S,
  adapt: (body: z.output<S>, params: Readonly<Record<string, unknown>>) => To,
): BodyAdapter<To> => ({ schema, adapt: adapt as BodyAdapter<To>['adapt'] })

export const responseAdapter = <S extends z.ZodType>(
  schema: S,
  adapt: (result: never) => z.input<S>,
): ResponseAdapter => ({ schema, adapt: adapt as ResponseAdapter['adapt'] })

/** Input of the target; the tenant is added automatically. */
type TargetInput<D extends RouteDefinition> = {
  params?: RouteInput<D>['params']
  body?: Omit<RouteInput<D>['body'] & object, 'tenantId'>
}

/** Differences from the target, beyond those of every alias. */
interface Adaptation<Call, D extends RouteDefinition> {
  status?: 200
  body?: BodyAdapter<TargetInput<D>>
  response?: ResponseAdapter
  /** Replaces the target's handler, if its result lacks a member. */
  handler?: (call: Call, input: never) => unknown
  /** Defaults to `empty`. */
  failures?: FailureEncoding
  ruledMember?: string
  /** Answers 400 instead of 404. */
  notFoundIs?: 400
  unlisted?: true
}

/** A route of an older surface, served by a newer route. */
export interface Alias<Call> {
  group: string
  name: string
  definition: RouteDefinition
  handler: Handler<Call>
}

const namesIn = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)

/** Removes the tenant from a body: older routes use the principal's tenant. */
function withoutTenant(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodObject) || !('tenantId' in schema.shape)) {
    return schema
  }
  const { tenantId: _, ...shape } = schema.shape
  const id = z.globalRegistry.get(schema)?.id
  const rest = z.object(shape).check(...((schema.def.checks ?? []) as z.core.$ZodCheck<Record<string, unknown>>[]))
  return id === undefined ? rest : rest.meta({ id: `Internal${id}` })
}

/** Removes the envelope of lists, which the older surface does not have. */
function unwrapper(response?: z.ZodType): ResponseAdapter | undefined {
  const isEnvelope = response instanceof z.ZodObject && Object.keys(response.shape).join() === 'items'
  return isEnvelope
    ? { schema: response.shape['items'] as z.ZodType, adapt: (result) => (result as { items: unknown }).items }
    : undefined
}

function renamedParams(target: RouteDefinition, path: string) {
  const [names, targetNames] = [namesIn(path), namesIn(target.path)]
  if (!target.params || names.length === 0) {
    return { params: undefined, toTarget: () => undefined }
  }
  const pairs = names.map((name, index) => [name, targetNames[index]!] as const)
  const shape = target.params.shape as Record<string, z.ZodType>
  return {
    params: z.object(Object.fromEntries(pairs.map(([name, targetName]) => [name, shape[targetName]!]))),
    toTarget: (params: Input['params']) =>
      Object.fromEntries(
        pairs.map(([name, targetName]) => [targetName, (params as Record<string, unknown> | undefined)?.[name]]),
      ),
  }
}

/** Declares a route of the older surface with the access, handler and response of its target. */
export function alias<Call, R extends Routes, K extends keyof R & string>(
  method: Method,
  path: `/${string}`,
  { group, handlers }: BoundGroup<Call, R>,
  name: K,
  adaptation: Adaptation<Call, R[K]> = {},
): Alias<Call> {
  const target: RouteDefinition = group.routes[name]!
  const handle = (adaptation.handler as Handler<Call> | undefined) ?? handlers[name]
  const { failures = 'empty', ruledMember, body, notFoundIs, unlisted } = adaptation
  const response = adaptation.response ?? unwrapper(target.response)
  const { params, toTarget } = renamedParams(target, path)
  const { location, params: _params, body: targetBody, ...rest } = target
  const status = adaptation.status ?? target.status
  // A status of 200 for a target without a body.
  const schema = response?.schema ?? target.response ?? (status && z.void())
  const definition: RouteDefinition = {
    ...rest,
    method,
    path,
    tenant: target.tenant === 'none' ? 'none' : 'claim',
    ...(params && { params }),
    ...(targetBody && { body: body?.schema ?? withoutTenant(targetBody) }),
    ...(schema && { response: schema }),
    ...(status !== undefined && { status }),
    // The new resource has an address on its own surface.
    ...(status === 201 && location && { location: location.replace('/v1/', '/') as `/${string}` }),
    failures,
    ...(ruledMember !== undefined && { ruledMember }),
    successor: target.path,
    ...(unlisted && { unlisted }),
  }
  const toInput = (input: Input): Input => {
    const adapted = { params: toTarget(input.params), body: input.body, ...body?.adapt(input.body, input.params ?? {}) }
    const ofTenant = target.tenant === 'body' && { body: { ...(adapted.body as object), tenantId: input.tenantId } }
    return { ...input, ...adapted, ...ofTenant } as Input
  }
  const handler: Handler<Call> = async (call, input) => {
    try {
      const result = await handle(call, toInput(input))
      return response ? response.adapt(result) : result
    } catch (error) {
      throw notFoundIs && error instanceof AppError && error.status === 404
        ? new AppError(notFoundIs, error.message)
        : error
    }
  }
  return { group: group.name, name, definition, handler }
}

/** Groups the aliases by the group of their target. */
export function aliasGroups<Call>(aliases: readonly Alias<Call>[]): BoundGroup<Call>[] {
  return [...Map.groupBy(aliases, ({ group }) => group)].map(([name, members]) => {
    // Two aliases of one target get different names.
    const named = members.map((member, index) => {
      const isFirst = members.findIndex((other) => other.name === member.name) === index
      return [isFirst ? member.name : `${member.name}${index}`, member] as const
    })
    return {
      group: { name, routes: Object.fromEntries(named.map(([key, { definition }]) => [key, definition])) },
      handlers: Object.fromEntries(named.map(([key, { handler }]) => [key, handler])),
    }
  })
}
