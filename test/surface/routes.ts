import { api } from '../../shared/api/index.ts'
import type { RouteDefinition, RouteGroup } from '../../shared/contract/route.ts'
import { internalAliases } from '../../server/surface/internal-aliases.ts'
import { some } from '../support/night.ts'

export interface DeclaredRoute {
  surface: string
  name: string
  definition: RouteDefinition
}

/** Route groups with their surface and their name there. */
export const groups: (readonly [surface: string, name: string, group: RouteGroup])[] = [
  ...Object.entries(api).flatMap(([surface, members]) =>
    Object.entries(members).map(([name, group]) => [surface, name, group] as const),
  ),
  ...internalAliases.map(({ group }) => ['internal', group.name, group] as const),
]

/** All declared routes. */
export const declared: DeclaredRoute[] = groups.flatMap(([surface, group, { routes }]) =>
  Object.entries(routes).map(([name, definition]) => ({ surface, name: `${group}.${name}`, definition })),
)

/** Every n-th route is tried where `FARHAND_EVERY_NTH_ROUTE` says so: another run tries all. */
const everyNth = Number(process.env['FARHAND_EVERY_NTH_ROUTE'] ?? 1)

/** Rows of a test table, named after their route. */
export const rows = (select: (definition: RouteDefinition) => boolean) =>
  declared
    .filter(({ definition }) => select(definition))
    .filter((_, index) => index % everyNth === 0)
    .map(({ definition }) => [`${definition.method} ${definition.path}`, definition] as const)

/** Rows of routes that the engine treats alike: all at night, every fourth by day. */
export const someRows = (select: (definition: RouteDefinition) => boolean) => some(rows(select), 4)

export const anyId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

/** Values of path parameters that are no ids. */
const values: Record<string, string> = { place: 'a', runtime: 'linux-x64', targetProcessId: '4711' }

/** Value of a path parameter. */
export const valueOf = (name: string) => values[name] ?? anyId

/** Path of a route with all parameters filled in. */
export const pathOf = ({ path }: RouteDefinition, value?: string) =>
  path.replace(/:(\w+)/g, (_, name: string) => value ?? valueOf(name))

/** Whether failures of the checks are problem documents. */
export const answersProblems = ({ failures }: RouteDefinition) => failures === undefined
