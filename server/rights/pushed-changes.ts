import type { App } from '../call/call.ts'
import { ruleSetsOf, type RuleSource } from './rights.ts'
import type { Principal } from '../ground/principal.ts'

const ownSources = (app: App, principal: Principal): readonly RuleSource[] =>
  ruleSetsOf(app, principal).flatMap(({ sources }) => sources())

/** Sources of a principal, and of the tokens that made its memberships, whose rights limit what these groups give. */
function sourcesOf(app: App, principal: Principal): readonly RuleSource[] {
  const own = ownSources(app, principal)
  const tokens = [...new Set(own.flatMap(({ boundTo = [] }) => boundTo))]
  return [
    ...own,
    ...tokens.flatMap((id) => {
      const token = app.personalAccessTokens.principalOf(id)
      return token ? ownSources(app, token) : []
    }),
  ]
}

/** Compares lists, not their rules: a principal may have thousands of rules and many connections (T26). */
const isSame = (a: readonly RuleSource[] | undefined, b: readonly RuleSource[]) =>
  a?.length === b.length &&
  a.every(({ rules, boundTo }, index) => rules === b[index]!.rules && boundTo?.join() === b[index]!.boundTo?.join())

/**
 * Tells each connected viewer when its own rules change, or one of them ends. A viewer that connected since the last
 * change of anybody's rules is told, too. Returns a function that stops it.
 */
export function pushRightsChanges(app: App): () => void {
  let { generation } = app.rules
  let known = new Map<string, readonly RuleSource[]>()
  return app.runningWork.add(() => {
    if (app.rules.generation === generation) {
      return
    }
    generation = app.rules.generation
    const before = known
    known = new Map(
      [...app.hubs.viewer.connected()].map(({ connectionId, principal }) => [connectionId, sourcesOf(app, principal)]),
    )
    const changed = [...known].filter(([id, sources]) => !isSame(before.get(id), sources)).map(([id]) => id)
    if (changed.length > 0) {
      void app.hubs.viewer.send(...changed).ReceiveRightsChange()
    }
  })
}
