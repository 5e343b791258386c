import type { App } from '../call/call.ts'
import type { Rule } from './rules.ts'
import { ruleSetsOf } from './rights.ts'
import type { Principal } from '../ground/principal.ts'

const rulesOf = (app: App, principal: Principal): readonly Rule[] =>
  ruleSetsOf(app, principal).flatMap(({ rules }) => rules())

const isSame = (a: readonly Rule[] | undefined, b: readonly Rule[]) =>
  a?.length === b.length && a.every((rule, index) => rule === b[index])

/**
 * Tells each connected viewer when its own rules change, or one of them ends. A viewer that connected since the last
 * change of anybody's rules is told, too. Returns a function that stops it.
 */
export function pushRightsChanges(app: App): () => void {
  let { generation } = app.rules
  let known = new Map<string, readonly Rule[]>()
  return app.runningWork.add(() => {
    if (app.rules.generation === generation) {
      return
    }
    generation = app.rules.generation
    const before = known
    known = new Map(
      [...app.hubs.viewer.connected()].map(({ connectionId, principal }) => [connectionId, rulesOf(app, principal)]),
    )
    const changed = [...known].filter(([id, rules]) => !isSame(before.get(id), rules)).map(([id]) => id)
    if (changed.length > 0) {
      void app.hubs.viewer.send(...changed).ReceiveRightsChange()
    }
  })
}
