import { api } from '../../shared/api/index.ts'
import type { RouteDefinition } from '../../shared/contract/route.ts'

export interface DeclaredRoute {
  surface: string
  name: string
  definition: RouteDefinition
}

const groups = Object.entries(api).flatMap(([surface, members]) =>
  Object.entries(members).map(([group, { routes }]) => ({
    surface,
    group,
    routes: routes as Record<string, RouteDefinition>,
  })),
)

/** Every declared route. */
export const declared: DeclaredRoute[] = groups.flatMap(({ surface, group, routes }) =>
  Object.entries(routes).map(([name, definition]) => ({ surface, name: `${group}.${name}`, definition })),
)

/** The rows of a table of tests, named after their route. */
export const rows = (select: (definition: RouteDefinition) => boolean) =>
  declared
    .filter(({ definition }) => select(definition))
    .map(({ definition }) => [`${definition.method} ${definition.path}`, definition] as const)

const anyId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

/** A path that the route takes: every parameter filled in. */
export const pathOf = ({ path }: RouteDefinition, value?: string) =>
  path.replace(/:(\w+)/g, (_, name: string) => value ?? (name === 'runtime' ? 'linux-x64' : anyId))
